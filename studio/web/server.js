// What the pages have in common: questions to the server, events from it, messages, the state of a page in its address.

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
    throw new Refused("Kirin does not answer: is `kirin serve` still running?");
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

/** All variants, asked once. */
let variantsAsked;
function variants() {
  variantsAsked ??= ask("/api/variants");
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
