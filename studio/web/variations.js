// A game with the variations that were tried out: the tree of moves, and the list of them to click on.

/** The glyph of a fault, as players write it. */
const FAULTS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** The moves of a game as a tree. A node is { uci, text, parent, children, ply }, and what others note there; the first
 * child of each is the main line. */
class VariationTree {
  constructor(moves = []) {
    this.root = { children: [], ply: 0 };
    let node = this.root;
    for (const move of moves) node = this.play(node, move);
    this.last = node;
  }

  /** The node after a move, which is added if it is new. */
  play(node, { uci, text }) {
    const known = node.children.find((child) => child.uci === uci);
    if (known) return known;
    const child = { uci, text, parent: node, children: [], ply: node.ply + 1 };
    node.children.push(child);
    return child;
  }

  /** The nodes from the root to one, both included. */
  pathTo(node) {
    const path = [];
    for (let at = node; at; at = at.parent) path.push(at);
    return path.reverse();
  }

  /** The nodes of the line through one: from the root to it, and on along the first moves. */
  lineThrough(node) {
    const line = this.pathTo(node);
    for (let at = node.children[0]; at; at = at.children[0]) line.push(at);
    return line;
  }

  /** Whether a node is still in the tree. */
  holds(node) {
    const path = this.pathTo(node);
    return path[0] === this.root && path.every((at) => !at.parent || at.parent.children.includes(at));
  }

  /** The first move of the variation that a node is in; undefined in the main line. */
  variationOf(node) {
    let at = node;
    while (at.parent && at.parent.children[0] === at) at = at.parent;
    return at.parent ? at : undefined;
  }

  /** Puts the variation that a node is in before the others. */
  promote(node) {
    const first = this.variationOf(node);
    if (!first) return;
    const { children } = first.parent;
    children.splice(children.indexOf(first), 1);
    children.unshift(first);
  }

  /** Removes a node with all after it, and gives the node before it. */
  remove(node) {
    const { children } = node.parent;
    children.splice(children.indexOf(node), 1);
    return node.parent;
  }
}

/** The list of the moves of a tree. */
class VariationList {
  #buttons = new Map();
  #marked;

  /** `act` has what a click does: `go(node)`. */
  constructor(act) {
    this.act = act;
    this.element = html("div", { className: "variations", tabIndex: -1 });
  }

  /** Draws a tree; `side` is the side to move at its root. */
  draw(tree, side) {
    this.side = side;
    this.#buttons.clear();
    this.#marked = undefined;
    const lines = html("div", { className: "line" });
    this.#addLine(tree.root, lines);
    this.element.replaceChildren(tree.root.children.length > 0 ? lines
      : html("p", { className: "absent" }, "No moves yet: play some on the board."));
  }

  /** Adds the moves after a node. */
  #addLine(from, place) {
    let numbered = true;
    for (let node = from; node.children.length > 0; [node] = node.children) {
      const [main, ...others] = node.children;
      place.append(this.#move(main, numbered));
      numbered = others.length > 0;
      for (const other of others) {
        const block = html("div", { className: "variation" }, this.#move(other, true));
        this.#addLine(other, block);
        place.append(block);
      }
    }
  }

  #move(node, numbered) {
    const ply = node.ply - 1 + this.side;
    const number = numbered || ply % 2 === 0 ? [html("span", { className: "number" }, moveNumber(ply))] : [];
    const element = button("", () => this.act.go(node), { className: "choice" });
    this.#buttons.set(node, element);
    this.#write(node, element);
    return html("span", { className: "ply" }, ...number, element);
  }

  #write(node, element) {
    const fault = node.review && FAULTS[node.review.class];
    const kind = node.review?.class;
    const glyph = fault ? [html("span", { className: `fault ${kind}`, title: kind }, fault)] : [];
    element.replaceChildren(...moveText(node), ...glyph);
  }

  /** Writes a move again, since something was noted at it. */
  update(node) {
    const element = this.#buttons.get(node);
    if (element) this.#write(node, element);
  }

  /** Marks the move that led to the position shown. */
  mark(node) {
    this.#marked?.removeAttribute("aria-current");
    this.#marked = this.#buttons.get(node);
    this.#marked?.setAttribute("aria-current", "step");
    // Only the list scrolls, never the page.
    const { element } = this;
    const at = this.#marked ? this.#marked.offsetTop - element.offsetTop : 0;
    if (at < element.scrollTop || at > element.scrollTop + element.clientHeight - 30) {
      element.scrollTop = at - element.clientHeight / 2;
    }
  }
}

