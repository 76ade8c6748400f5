from mind.setup.clients.known import CLIENTS
from tests.client_cases import FOLDER, page

for one in CLIENTS:
    (FOLDER / f"{one.name}.md").write_text(page(one), encoding="utf-8")
