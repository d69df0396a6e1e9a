// Pi's own session code behind lines of JSON: one request a line on stdin, one answer a line on stdout.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const pi = await import(pathToFileURL(process.argv[2]).href);
const { serializeSessionBranch } = await import(pathToFileURL(process.argv[3]).href);

function seen(manager) {
  const { messages, thinkingLevel, model } = manager.buildSessionContext();
  const entries = manager.getEntries();
  return {
    file: manager.getSessionFile(),
    header: manager.getHeader(),
    entries,
    branch: manager.getBranch().map((entry) => entry.id),
    leaf: manager.getLeafId(),
    name: manager.getSessionName() ?? null,
    labels: Object.fromEntries(
      entries.map(({ id }) => [id, manager.getLabel(id)]).filter(([, label]) => label),
    ),
    messages,
    thinkingLevel,
    model,
  };
}

const actions = {
  read: ({ path }) => seen(pi.SessionManager.open(path)),
  write: ({ path, folder, steps }) => {
    const manager = path
      ? pi.SessionManager.open(path)
      : pi.SessionManager.create(folder, folder);
    for (const [method, ...values] of steps) {
      // Entries are named by the how manieth they are, as their ids are not known before.
      const resolved = values.map((value) =>
        value?.nth === undefined ? value : manager.getEntries()[value.nth % manager.getEntries().length]?.id,
      );
      manager[method](...resolved);
    }
    return seen(manager);
  },
  fork: ({ path }) => {
    const manager = pi.SessionManager.open(path);
    const file = manager.createBranchedSession(manager.getLeafId());
    return { ...seen(manager), file };
  },
  copy: ({ path, folder }) => seen(pi.SessionManager.forkFrom(path, folder, folder)),
  export: ({ path }) => ({ text: serializeSessionBranch(pi.SessionManager.open(path)) }),
  list: async ({ cwd, folder }) => ({ sessions: await pi.SessionManager.list(cwd, folder) }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { action, ...options } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ value: await actions[action](options) }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
