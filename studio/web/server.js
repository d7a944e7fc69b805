// What the pages have in common: questions to the server, events from it, messages, the state of a page in its address.

const NO_ANSWER = "Kirin does not answer: is `kirin serve` still running?";

/** What the server refused, with its reason for people. */
class Refused extends Error {}

/** Asks the server; `body` makes the question a POST, of JSON unless it is a `Blob`. Throws a `Refused` with the server's
 * reason. */
async function ask(path, body, signal) {
  const options = body === undefined ? { signal } : body instanceof Blob ? { method: "POST", body, signal }
    : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(NO_ANSWER);
  }
  if (response.ok) return response.json();
  const text = await response.text();
  let reason = text;
  try {
    reason = JSON.parse(text).error ?? text;
  } catch {
    // Not JSON: the text itself is the reason.
  }
  throw new Refused(reason || `the server answered ${response.status}`);
}

/** The path of a question with its parameters; a list gives a parameter several times, and what is empty is left out. */
function pathOf(path, parameters) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") query.append(key, one);
    }
  }
  return `${path}?${query}`;
}

/** Listens to events of the server: `acts` has a function of the content for each name. An event `refused` ends it, as
 * does `close()` of what is returned. The browser connects again where `lasting` says that the events have no end. */
function listen(path, acts, { lasting = false } = {}) {
  const events = new EventSource(path);
  for (const [name, act] of Object.entries(acts)) {
    events.addEventListener(name, (event) => act(JSON.parse(event.data)));
  }
  events.addEventListener("refused", () => events.close());
  events.addEventListener("error", () => {
    if (!lasting) events.close();
    acts.lost?.();
  });
  return events;
}

/** Asks for the reply to a position, as `/api/reply/live` takes the question. Meanwhile `waiting(text)` or
 * `searching(text)` is called with what there is to say of the search. Throws as `ask` does. */
function replyTo(question, { waiting, searching }, signal) {
  return new Promise((resolve, reject) => {
    const events = listen(pathOf("/api/reply/live", question), {
      waiting: (queue) => waiting(waitingText(queue)),
      searching: ({ visits }) => searching(visits > 0 ? counted(visits, "visit", "visits") : ""),
      reply: (reply) => {
        events.close();
        resolve(reply);
      },
      refused: ({ error }) => reject(new Refused(error)),
      lost: () => reject(new Refused(NO_ANSWER)),
    });
    const leave = () => {
      events.close();
      reject(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave);
  });
}

/** Why a search does not begin yet: its place in the queue of a server with so many places. */
function waitingText({ place, places }) {
  const others = counted(places, "such search", "such searches");
  return `Waiting, number ${place} in the queue: this server does ${others} at a time, as cores and memory allow.`;
}

/** Does something as long as the page is seen: `open()` begins and gives what `close()` ends. A hidden page
 * keeps no connection, of which browsers allow few, and costs the server nothing. */
function whileSeen(open) {
  let opened;
  const act = () => {
    if (document.hidden) {
      opened?.close();
      opened = undefined;
    } else opened ??= open();
  };
  document.addEventListener("visibilitychange", act);
  act();
}

/** Does something now and again while the page is seen. */
function every(milliseconds, act) {
  whileSeen(() => {
    let timer;
    let closed = false;
    const again = async () => {
      try {
        await act();
      } finally {
        if (!closed) timer = setTimeout(again, milliseconds);
      }
    };
    again();
    return { close: () => { closed = true; clearTimeout(timer); } };
  });
}

const CONNECTION_LOST = "The connection is lost. What is shown may be old; the page tries again.";

/** Time until a stream of events that has ended is asked for again, milliseconds. */
const AGAIN_AFTER = 3000;

/** Listens as `listen` does to what may be gone and come back: a stream that ends is asked for again. */
function follow(path, acts) {
  let events;
  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(open, AGAIN_AFTER);
  };
  const open = () => {
    events = listen(path, {
      ...acts,
      gone: () => {
        events.close();
        acts.gone();
        later();
      },
      lost: () => {
        acts.lost();
        if (events.readyState === EventSource.CLOSED) later();
      },
    }, { lasting: true });
  };
  open();
  return { close: () => { clearTimeout(timer); events.close(); } };
}

/** A line for messages: `say(text)`, `complain(error)` and `clear()`. */
class MessageLine {
  constructor() {
    this.element = html("p", { className: "message", role: "status", hidden: true });
  }

  say(text) {
    this.element.textContent = text;
    this.element.classList.remove("wrong");
    this.element.hidden = !text;
  }

  complain(error) {
    this.say(error instanceof Refused ? error.message : `This page has a fault: ${error.message}`);
    this.element.classList.add("wrong");
    if (!(error instanceof Refused)) console.error(error);
  }

  clear() {
    this.say("");
  }
}

/** Does something that may be refused, and shows the reason in a line. Gives its result, or undefined. */
async function attempt(line, act) {
  try {
    line.clear();
    return await act();
  } catch (error) {
    if (error.name !== "AbortError") line.complain(error);
    return undefined;
  }
}

/** A choice: `options` are pairs of value and name. */
function choiceOf(label, options, value, change) {
  const select = html("select", {}, ...options.map(([key, name]) => html("option", { value: key }, name)));
  if (value !== undefined) select.value = value;
  select.addEventListener("change", () => change?.(select.value));
  const field = html("label", { className: "field" }, html("span", {}, label), select);
  return { element: field, select };
}

/** A button with words. */
function button(text, act, properties = {}) {
  const element = html("button", { type: "button", ...properties }, text);
  element.addEventListener("click", act);
  return element;
}

/** All variants, asked once, unless the server did not answer. */
let variantsAsked;
function variants() {
  variantsAsked ??= ask("/api/variants").catch((error) => {
    variantsAsked = undefined;
    throw error;
  });
  return variantsAsked;
}

/** The variant with this id. */
async function variantOf(id) {
  return (await variants()).find((variant) => variant.id === id);
}

/** The values of the page's address after `#`, and a way to note others there without a step back. */
function addressed() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

function noteAddress(values) {
  const said = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== undefined && value !== ""));
  history.replaceState(null, "", `#${said}`);
}

/** Lets the browser save a text as a file of this name. */
function saveText(name, text) {
  const link = html("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
