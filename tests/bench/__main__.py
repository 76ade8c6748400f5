"""All measurements: `python -m tests.bench [FOLDER]`, FOLDER holding evaluation sets.

FOLDER/parser is for the parser, FOLDER/retrieval for search and vectors, FOLDER/warnings for
warnings; without them each measures itself on cases of its own.
"""

import subprocess
import sys
from pathlib import Path

from tests.bench import embedding, peers, rejections, retrieval, scaling, speed, supersession

HERE = Path(__file__).parent


def main() -> None:
    """Run what there is."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    speed.main()
    print("\nMind and others on the same sentences, CPU ms a call")
    peers.show(peers.FOLDER)
    print("\nSearch by the size of a memory, CPU ms", flush=True)
    scaling.main()
    print("\nWhat search finds", flush=True)
    retrieval.measured(data)
    print("\nThe present and the past", flush=True)
    supersession.main([])
    print("\nWarnings")
    own = [str(HERE / f"rejections_{name}.json") for name in ("further", "unseen")]
    rejections.main([*own, *([str(data / "warnings" / "warnings.json")] if data else [])])
    print("\nEmbedding", flush=True)
    embedding.main(data)
    print("\nParser", flush=True)
    folder = [str(data / "parser")] if data else []
    subprocess.run([sys.executable, str(HERE / "parser.py"), *folder], check=True)


if __name__ == "__main__":
    main()
