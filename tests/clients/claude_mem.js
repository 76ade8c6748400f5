// Makes a database with claude-mem's own store: bun claude_mem.js STORE DATABASE PROJECT SENTENCES
const fs = require("fs");

const [store, database, project, told] = process.argv.slice(2);
const { SessionStore } = require(store);
const sentences = JSON.parse(fs.readFileSync(told, "utf-8"));
const types = ["decision", "bugfix", "discovery", "feature"];
const made = new SessionStore(database);

const fill = (name, session, count) => {
  const id = made.createSDKSession(`content-${session}`, name, "a prompt");
  made.updateMemorySessionId(id, session);
  sentences.slice(0, count).forEach((narrative, number) => {
    made.storeObservation(
      session,
      name,
      {
        type: types[number % types.length],
        title: `Part ${number}`,
        subtitle: "",
        facts: [],
        narrative,
        concepts: [],
        files_read: [],
        files_modified: [],
      },
      1,
      0,
      Date.parse("2026-03-12T12:00:00Z") + number,
    );
  });
};

fill(project, "mine", sentences.length);
fill("another", "theirs", 3);
made.storeSummary(
  "mine",
  project,
  { request: "", investigated: "", learned: "The pool leaks a worker when a job dies.",
    completed: "", next_steps: "Rest.", notes: "" },
  1,
  0,
  Date.parse("2026-03-12T13:00:00Z"),
);
