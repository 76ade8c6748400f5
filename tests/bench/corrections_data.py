"""Facts about a project that were corrected later, in other words, and pairs that only look so.

All of it is one project's: a web shop with a warehouse, noted by those who work on it. The project
and its people are made up. A paragraph is a chain: its name, what was noted one after the other,
a question (``?``) and keywords (``~``) that ask for the fact without any version's words for it.
In a pair of CONTROLS both facts hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

EXPLICIT = """
# web-install
decided: Dependencies of the web app are installed with Yarn classic, the lock file is committed.
learned: The web app switched to pnpm for installing packages; a yarn.lock in a pull request is a mistake.
? How do I install what the web app depends on?
~ web app install command package manager

# branch-names
decided: Name branches after their author, as in jo/fix-login-loop, so that one sees whose work is lying around.
decided: Branches no longer begin with somebody's name. The ticket number comes first: SHOP-412-fix-login-loop.
? What should I call my branch?
~ branch naming rule

# release-day
note: We release on Thursdays at 14:00, which leaves Friday for mending what customers run into.
decided: Changed after the Easter outage: we release on Tuesday mornings, so that nobody mends things at the weekend.
? On which day of the week do we release?
~ release day schedule

# upload-limit
learned: Customers can upload attachments of at most 25 MB, nginx answers 413 to anything above that.
learned: Correction: since the move to object storage an attachment may have 100 MB when it is uploaded.
? How large may an uploaded attachment be?
~ attachment upload size limit

# health-probe
decided: The load balancer asks /healthz every ten seconds and drops a node after three failures.
progress: Load balancer probes go to /livez instead; what they asked before answers 404.
? Which path does the load balancer check?
~ load balancer health check endpoint

# billing-owner
note: Questions about billing go to Priya, she owns that module.
note: Priya no longer looks after billing; Tomas took it over from her.
? Who is responsible for billing?
~ billing contact person

# export-dates
decided: CSV exports write dates as 31/12/2025, which is what the accountants asked for and what their import reads.
decided: Scratch the slashes: from now on dates in exports are ISO 8601 (2025-12-31), Excel guesses wrong otherwise.
? What do dates look like in an exported file?
~ export date format

# invoice-test
problem: test_invoice_pdf fails on CI now and then; the runner lacks fonts that a laptop has.
learned: It was not the fonts after all: test_invoice_pdf breaks whenever the runner's locale is C.
? Why is test_invoice_pdf flaky?
~ test_invoice_pdf flaky cause

# session-store
decided: Sessions live in Redis, one key for each login, expiring after a fortnight.
learned: We moved the login state out of Redis; sessions are rows in Postgres now.
decided: No server-side sessions any more: a signed cookie carries the login.
? Where are login sessions kept?
~ login session storage

# search-engine
decided: Product search runs on Elasticsearch 7, with one index per language and synonyms from a file.
decided: We moved product search from Elasticsearch to OpenSearch over the licence.
decided: OpenSearch is switched off. Searching products uses Postgres full text instead.
? What powers the product search?
~ product search backend

# node-version
gotcha: The build needs Node 16, anything newer breaks node-sass with a gyp error.
learned: Node 16 is no longer needed for the build, sass is pure JS now. Use 18.
decided: Correction to Node for the build: it is 20, since the images with 18 have gone.
? Which version of Node does the build want?
~ node version build

# python-format
decided: Python code is formatted with Black, 88 columns, checked before each commit.
decided: Replaced Black by ruff format for Python: the same style, thirty times as fast.
decided: Went back to Black for formatting Python; ruff kept breaking our long dict literals.
? How do we format Python?
~ python formatting tool

# checkout-flag
progress: Flag new_checkout is on for five percent of shoppers, chosen by a hash of their id.
progress: Raised new_checkout from five percent to half of the shoppers.
decided: new_checkout is no longer behind a flag, every shopper gets it.
? Which shoppers see new_checkout?
~ new_checkout rollout share

# run-migrations
note: Database migrations are run by hand on the bastion before each deployment.
learned: Nobody runs database migrations by hand any more, the deploy job does it after a backup.
decided: Migrations of the database moved out of the deploy job: an init container applies them instead.
? What takes care of database migrations?
~ database migration procedure

# job-queue
decided: Background jobs are queued in RabbitMQ, one exchange for all and a dead letter queue for each type.
decided: Moved the background jobs from RabbitMQ to SQS, that is one thing fewer to patch and to wake up for.
learned: SQS cannot delay by more than 15 minutes, so it is out for background jobs. Redis streams replace it.
decided: Redis streams lost some at a failover and are no longer used: background jobs wait in a Postgres table, taken with SKIP LOCKED.
? What holds our background jobs?
~ background job broker

# on-call
note: On-call hands over on Mondays at 9, in the stand-up, with open incidents.
note: On-call handover changed: Wednesday noon instead of Monday, holidays kept getting in the way.
note: Correction: the on-call week begins on Fridays at 15:00, the Wednesday trial is over.
decided: No more Friday handovers. On-call passes on at 10 on Tuesdays.
? When does the on-call shift change hands?
~ on-call rotation weekday

# page-size
decided: List endpoints return 20 items a page unless told otherwise.
decided: The page of a list endpoint changed from 20 to 50 items.
learned: Pages of 50 were too slow with pictures. List endpoints went down to 30 items instead.
decided: Correction, list endpoints: a page has 100 items now that pictures load lazily.
? How many items are on a page of a list endpoint?
~ list endpoint items per page

# base-image
decided: Our containers are built on alpine, which makes for the smallest download at a cold start.
gotcha: musl breaks the numpy wheels, so containers start from debian-slim instead of alpine.
decided: Switched the containers from debian-slim to distroless after the security audit.
decided: Distroless cannot be debugged; containers are no longer made with it but with ubuntu 24.04.
? What are our containers based on?
~ container base image

# error-tracker
decided: Exceptions are reported to Sentry's cloud.
decided: We replaced Sentry by a GlitchTip of our own; exceptions are reported there.
learned: GlitchTip choked on source maps, so exceptions go to Sentry again, no longer to our own host.
decided: Dropped Sentry for good: exceptions arrive in Grafana as OpenTelemetry spans.
? Where do I look up exceptions?
~ exception tracking service

# log-retention
note: Application logs are kept for 30 days.
decided: Logs of the application are kept for 90 days instead of 30, the auditors insist.
learned: Ninety days of application logs cost too much. Changed to 45, older ones are thrown away.
decided: Application logs no longer last 45 days but 14, traces cover what came before.
? How long do application logs stay around?
~ application logs number of days
"""  # noqa: E501 - an entry a line

SILENT = """
# webhook-retries
decided: The retry limit for webhooks is 5.
learned: Retries of a webhook are capped at eight.
? How often is a failed webhook tried again?
~ webhook retry maximum

# admin-port
note: The admin UI runs on port 3100 on a developer's machine.
note: Open the admin UI on port 4200 when you work locally.
? Which port does the admin UI use?
~ admin UI port

# coverage
decided: CI refuses less than 80 % line coverage.
decided: Line coverage has to reach 90 % for CI to go green.
? How much line coverage does CI demand?
~ CI line coverage threshold

# token-life
decided: Access tokens are valid for 15 minutes.
decided: An access token is good for one hour.
? When does an access token expire?
~ access token lifetime

# docs-host
note: The documentation site is hosted on GitHub Pages, from the branch gh-pages.
progress: Netlify serves the documentation site, with a preview for each pull request.
? What does our documentation site run on?
~ documentation site provider

# translations
decided: Translations are JSON files, one for each language, with nested keys.
decided: Translations are Fluent files (.ftl), with a folder for each language.
? Which type of file are translations in?
~ translations file format

# postgres-version
note: Production runs Postgres 13.
note: Postgres in production is at 15.4.
progress: The production Postgres is a 16 with pgvector.
? Which Postgres is in production?
~ production postgres version

# pool-size
decided: Each API process opens at most 10 database connections.
learned: The API's pool holds 25 database connections a process.
decided: Forty database connections for every process of the API.
? How many database connections may one API process have?
~ API process database connections number

# backup-schedule
note: Backups of the main database start at two in the morning.
decided: The main database is backed up every six hours.
decided: Main database: hourly backups, one copy off-site.
? When is a backup of the main database made?
~ main database backup schedule

# maps
decided: Maps in the parcel tracker come from Google, under marketing's contract.
decided: The parcel tracker shows maps by Mapbox, in the shop's colours.
decided: Maps in the parcel tracker are MapLibre with tiles that we host.
? Whose maps are in the parcel tracker?
~ parcel tracker map provider

# ios-minimum
decided: The iPhone app supports iOS 14 and up.
decided: iOS 15 is the oldest that the iPhone app supports.
decided: The iPhone app asks for iOS 17.
? What iOS does the iPhone app need at least?
~ iphone app minimum iOS

# approvals
decided: A pull request needs one approval before it is merged.
decided: Two people have to approve a pull request.
decided: Pull requests are merged with the approval of a code owner.
? Whose approval must a pull request have?
~ pull request approval rule

# query-depth
decided: GraphQL queries may nest 7 levels deep.
learned: The depth limit of GraphQL queries is ten.
decided: GraphQL: queries deeper than 12 are turned away.
decided: Depth of a GraphQL query: eight at most.
? How deep may a GraphQL query be?
~ graphql query depth

# rate-limit
decided: An API key may send 60 requests a minute.
decided: 120 requests per minute for an API key.
learned: API keys are throttled at 300 requests a minute.
decided: Each API key gets 240 requests a minute.
? How many requests per minute does an API key have?
~ API key requests per minute

# staging-refresh
note: Staging gets a fresh copy of production data every Sunday.
note: Production data is copied to staging each night.
decided: On the first of the month staging receives a copy of production data.
note: Staging's copy of production data is renewed each Wednesday.
? When is production data copied to staging?
~ staging copy of production data schedule

# thumbnails
decided: Thumbnails are JPEG at quality 80 with the metadata stripped.
decided: We make WebP thumbnails, a third smaller than any others.
decided: Thumbnails are AVIF, which takes about half the bytes.
learned: Thumbnails are WebP, else many Androids show grey boxes.
? Which image type do thumbnails have?
~ thumbnail encoding

# http-client
decided: Outgoing HTTP calls in the pricing service use requests.
decided: The pricing service makes its HTTP calls with httpx.
learned: aiohttp does the pricing service's HTTP calls, pooling works there.
decided: The pricing service uses niquests for HTTP calls.
? Which library is for HTTP calls in the pricing service?
~ pricing service http library

# deploy-channel
note: Deployments are announced in the channel ops.
note: Announce deployments in the channel shipping-news.
note: The channel where deployments are announced is release-room.
note: Deployments get announced in the channel eng-feed.
? In which channel are deployments announced?
~ deployment announcement channel

# importer-memory
decided: The importer pod has a memory limit of 512 MiB.
learned: The importer pod needs 1 GiB of memory, big catalogues killed it.
decided: Memory limit of the importer pod: 2 GiB.
decided: The importer pod gets by with 768 MiB of memory.
? How much memory is the importer pod given?
~ importer pod memory

# batch-size
decided: Stock updates are written in batches of 500 rows.
learned: Batches of 1,000 rows work best for stock updates.
gotcha: Stock updates deadlock with more than 250 rows in a batch.
decided: A batch of stock updates has 2,000 rows, each shard on its own.
? How many rows are in a batch of stock updates?
~ stock update batch rows
"""

OTHER_WORDS = """
# customer-mail
decided: SendGrid delivers everything we mail to customers, from a subdomain of its own.
decided: Amazon SES sends what customers get by e-mail, with templates from the repository.
? How does mail reach our customers?
~ customer mail service

# money-type
decided: Prices are floats and get rounded half up to two places when they are shown in the shop.
decided: An amount of money is an integer count of minor units everywhere, Decimal only at the edges.
? How do we represent prices and amounts?
~ price amount data type

# secrets
note: API keys belong into the .env file beside docker-compose.
decided: Vault hands out credentials at boot, nothing confidential lies on disk.
? Where do secrets such as keys and credentials come from?
~ keys credentials location

# account-closing
decided: Closing an account deletes the user's row and, by cascades, all that hangs on it within the hour.
learned: Whoever closes an account is anonymised, since tax law wants ten years of purchases.
? What happens to the data of someone who closes their account?
~ account closing data

# charts
decided: Chart.js draws what is on the dashboard, lazily and in the visitor's colours.
decided: Graphs on the dashboard are Vega-Lite specifications, rendered on the server.
? What are charts and graphs on the dashboard made with?
~ dashboard plotting library

# slow-checkout
problem: Checkout takes 6 s: the tax service is asked once for every line item.
learned: What makes paying slow at the checkout is a missing index on carts.user_id.
? What holds up the checkout?
~ checkout performance cause

# deploy-way
note: To deploy, run `fab ship` from your laptop while on the VPN.
progress: Merging to main is enough for a deploy, a GitHub workflow brings it to the cluster.
decided: Argo CD watches the manifests repository; changing the tag there deploys a version.
? How do I deploy?
~ deploy steps

# toggles
decided: Feature toggles come from LaunchDarkly, cached for a minute so that an outage of theirs goes unnoticed.
decided: A YAML file in the repository lists which feature toggles are on, so that each flip is reviewed.
learned: Product managers flip feature toggles themselves in the back office, a Postgres table holds them.
? Where are feature toggles set?
~ feature toggles source

# sign-in
decided: Shoppers sign in with a password of ours, hashed by bcrypt.
decided: Auth0 handles how shoppers sign in, on a page of its own.
learned: Keycloak with passkeys is what shoppers meet when they sign in.
? How do shoppers sign in?
~ shopper sign in method

# invoice-run
note: Monthly invoices are made by a crontab line on app01, output goes to root's mailbox.
progress: A Kubernetes CronJob called bill-all produces the monthly invoices on the first.
decided: Temporal starts the workflow for monthly invoices, so that a crash half-way resumes.
? What creates the monthly invoices?
~ monthly invoices scheduler

# test-data
decided: The test database is seeded from one big SQL dump that lies beside the conftest.
decided: factory_boy builds the rows that a test wants in the database, and nothing else.
learned: Every suite begins with a snapshot of anonymised production as its test database.
? How does data get into the test database?
~ test database contents

# address-check
decided: We match delivery addresses against a regex for each country we ship to.
decided: Loqate is asked whether a delivery address exists before the order is placed.
learned: libpostal parses delivery addresses in-process, which costs nothing per lookup.
? How are delivery addresses verified?
~ delivery address validation

# push
decided: Push notifications leave through Firebase Cloud Messaging.
decided: OneSignal sends out push notifications, marketing writes them there.
learned: We talk to APNs and Huawei directly for push notifications.
? Which way do push notifications take?
~ push notification provider

# product-cache
decided: Product pages stay in the CDN for ten minutes, long enough to survive a newsletter.
decided: Saving in the back office purges product pages by surrogate key, within two seconds.
learned: Product pages are rendered for each visitor, personal prices made anything else pointless.
? How fresh is a product page?
~ product page caching

# ci
decided: Jenkins on build01 runs the CI pipeline, two executors, restarted on Sundays.
decided: CI lives in CircleCI, with a config of 400 lines.
decided: Every CI check is a GitHub Actions workflow of its own.
learned: Buildkite agents in our own rack do CI at a fifth of the price.
? Which system do we have for CI?
~ CI system

# analytics
note: Analytics reads CSV dumps that a nightly script puts on S3.
decided: Fivetran copies tables to Snowflake for analytics, four times a day.
decided: BigQuery is where analytics looks, fed by Datastream within minutes.
learned: ClickHouse answers what analytics asks from change events, seconds old.
? Where does analytics get its numbers?
~ analytics data warehouse

# packing-slips
decided: wkhtmltopdf turns an order into a packing slip.
gotcha: Headless Chrome prints the packing slips; give it 300 MB of shared memory.
decided: Packing slips come out of WeasyPrint.
decided: Typst templates produce packing slips, 40 ms a piece.
? How are packing slips generated?
~ packing slip renderer

# storefront-state
decided: The Redux store holds all state of the storefront, sagas do the fetching.
decided: React context with reducers is enough for storefront state, no library.
decided: Zustand keeps the state of the storefront, a slice per feature.
learned: TanStack Query plus the URL carry storefront state, nothing else is needed.
? How is state managed in the storefront?
~ storefront state management

# shared-types
decided: The shared types are a git submodule called common-types.
decided: npm package @shop/types publishes the shared types with semver.
progress: A workspace folder contains the shared types, imports go by its path.
learned: protoc generates the shared types out of schema files at build time.
? Where do the shared types come from?
~ shared types source

# timestamps
decided: Scan timestamps are stored in the warehouse's local time.
decided: A scan's timestamp is a UTC datetime, the zone sits in a second column.
decided: Milliseconds since the epoch make up timestamps of scans.
decided: RFC 9557 strings, brackets and all, are what a scan timestamp looks like.
? What format do timestamps of scans have?
~ scan timestamp representation
"""  # noqa: E501 - an entry a line

CONTROLS = """
# time-outs
decided: The API times out after 30 s.
decided: The worker times out after 5 min.
? When does the API or the worker time out?

# server-ports
note: Staging uses port 8081.
note: Production uses port 8080.
? Which ports do staging and production use?

# mongodb
rejected: We rejected MongoDB for the catalogue, joins are all over the place.
decided: MongoDB holds the audit trail.
? What do we use MongoDB for?

# android-level
decided: Android phones need API level 26.
decided: Android tablets need API level 28, for the split view.
? Which Android API level do we need?

# regions
decided: Data of European customers stays in Frankfurt.
decided: Data of American customers stays in Ohio.
? In which region does customer data stay?

# test-runs
decided: Unit tests run on every push.
decided: Load tests run on Saturdays only, against the replica.
? When do tests run?

# image-expiry
decided: Avatars are cached by browsers for a day.
decided: Company logos are cached by browsers for a week.
? How long do browsers cache avatars and logos?

# idempotency
learned: PUT on an order is idempotent, clients may repeat it.
learned: POST of an order is not idempotent without the header Idempotency-Key.
? Is sending an order idempotent?

# infrastructure-review
note: Ana reviews changes of the Terraform modules.
note: Ben reviews changes of the Helm charts.
? Who reviews changes of the infrastructure?

# protocols
decided: Services talk gRPC to each other.
decided: Partners talk REST to us.
? Do we talk gRPC or REST?

# plans
decided: The free plan includes 3 warehouses.
decided: The team plan includes 50 warehouses.
? How many warehouses does a plan include?

# codes
note: The Wi-Fi passphrase of the depot changes every month.
note: Door codes of the depot change every quarter.
? How often do the codes of the depot change?

# printers
learned: The label printer understands ZPL.
learned: The receipt printer understands ESC/POS.
? What language does the printer understand?

# partitions
decided: The orders table is partitioned by month.
decided: The events table is partitioned by day.
? How are large tables partitioned?

# compilers
decided: The scanner's native library is built by GCC 13 on Linux.
decided: The scanner's native library is built by Clang 17 on macOS.
? Which compiler builds the scanner's native library?

# duties
decided: VAT is calculated when the customer pays.
decided: Customs duty is calculated when the parcel is handed over.
? When are VAT and customs duty calculated?

# spelling
decided: Names in Python modules are snake_case.
decided: Names in JSON payloads are camelCase.
? snake_case or camelCase for names?

# charsets
learned: Files of the SAP interface are Latin-1.
learned: Files of the DHL interface are UTF-8.
? How are files of an interface encoded?

# refunds
decided: Refunds below 50 euros are paid without asking anybody.
decided: Refunds above 500 euros are signed by the head of finance.
? Who has to sign a refund?

# debug-output
decided: Debug output is off in the live shop.
decided: Debug output is on in the sandbox.
? Where is debug output on?

# strictness
decided: TypeScript's strict mode is on in the storefront package.
decided: TypeScript's strict mode is off in the widgets package, 900 errors.
? Is TypeScript's strict mode on?

# celery
rejected: Decided against Celery for resizing pictures, it needs too much memory.
learned: Celery is what sends the newsletters.
? Do we use Celery?

# sap
note: Stock levels come in from SAP on Mondays.
note: The price list goes out to SAP on Fridays.
? On which days do we exchange data with SAP?

# cutting-branches
decided: A hotfix starts from the last tag.
decided: A feature starts from main.
? Where does a hotfix or a feature start from?

# certificates
note: Certificates of the VPN are valid for a year.
note: Certificates of the shop's domain are valid for 90 days.
? How long are certificates valid?

# field-apps
decided: The picker's handheld app is written in Kotlin.
decided: The driver's app is written in Flutter.
? What are the handheld and driver apps written in?

# models
decided: The recommendation model is retrained weekly.
decided: The fraud model is retrained every night.
? How often is a model retrained?

# websockets
problem: Safari drops the WebSocket of a tab in the background after a minute.
problem: Firefox leaves the WebSocket open in the background but slows its timers down.
? What happens to a WebSocket in the background?

# terraform-state
note: Terraform state of the network stack is in the bucket tf-net.
note: Terraform state of the data stack is in the bucket tf-data.
? In which bucket is the Terraform state?

# log-levels
decided: Answers with 4xx are logged as warnings.
decided: Answers with 5xx are logged as errors and page somebody.
? At which level are 4xx and 5xx answers logged?
"""


@dataclass(frozen=True)
class Noted:
    """What somebody wrote down, and as which kind."""

    kind: str
    text: str


@dataclass(frozen=True)
class Chain:
    """A fact and its corrections, or a control pair.

    Attributes:
        name: Of the subject.
        group: How corrections tell that they are some: "explicit", "silent" or "other words".
        versions: Oldest first; the last one holds. In a control pair both do.
        queries: A question and keywords; of a control pair only the question.
        half: "a" or "b": what is tuned on one half is measured on the other.
    """

    name: str
    group: str
    versions: tuple[Noted, ...]
    queries: tuple[str, ...]
    half: str = "a"

    @property
    def corrections(self) -> int:
        """How often the fact was corrected."""
        return len(self.versions) - 1


def _read(text: str, group: str) -> Iterator[Chain]:
    for paragraph in text.strip().split("\n\n"):
        head, *lines = paragraph.splitlines()
        asked = [line for line in lines if line.startswith(("? ", "~ "))]
        noted = [line.split(": ", 1) for line in lines if line not in asked]
        yield Chain(
            name=head.removeprefix("# "),
            group=group,
            versions=tuple(Noted(kind, said) for kind, said in noted),
            queries=tuple(line[2:] for line in asked),
        )


def chains() -> list[Chain]:
    """All 60. Those of one group and length stand together, so halves are alike in both."""
    found = [
        *_read(EXPLICIT, "explicit"),
        *_read(SILENT, "silent"),
        *_read(OTHER_WORDS, "other words"),
    ]
    return [replace(one, half="ab"[at % 2]) for at, one in enumerate(found)]


def controls() -> list[Chain]:
    """The 30 pairs."""
    return list(_read(CONTROLS, "control"))


OTHERS = ("a", "b")
"""Sets that nothing was fitted on: six made-up projects each, 60 chains and 60 control pairs.

They are harder: the versions of a fact share few words with each other and with what is asked.
"""


def others(name: str) -> tuple[list[Chain], list[Chain]]:
    """The chains and the control pairs of one of :data:`OTHERS`."""
    path = Path(__file__).parent / "corrected" / f"{name}.txt"
    found: list[Chain] = []
    group = ""
    for paragraph in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = paragraph.splitlines()
        group = next((line.strip("= ").lower() for line in lines if line[:3] == "==="), group)
        kept = [line for line in lines if not line.startswith(("===", "@ "))]
        if kept:
            found += _read("\n".join(kept), _GROUPS[group])
    return (
        [one for one in found if one.group != "control"],
        [one for one in found if one.group == "control"],
    )


_GROUPS = {"explicit": "explicit", "implicit": "silent", "long": "long", "controls": "control"}
"""How a section is called there, and here."""
