// Traces unpacked: what a program did, and what it holds after so many steps.

const KINDS = ["reject", "place", "wipeout", "undo", "solution"];
const COUNTERS = ["nodes", "candidates", "checks", "writes", "undone", "solutions"];

class Program {
  // Steps are numbered from 1; "after step 0" is the empty board. Node 0 is the empty board, and each queen placed makes one.
  constructor(packed, n) {
    this.name = packed.program;
    this.title = packed.title;
    this.complete = packed.complete;
    this.n = n;
    this.length = packed.steps.length;
    const squares = packed.lists.map(list => list.map(square => [Math.floor(square / n), square % n]));
    const known = packed.events.map(([kind, row, column, attackers, removed, ...more]) => (
      { kind: KINDS[kind], row, column, attackers: squares[attackers], removed: squares[removed], more }
    ));
    this.events = packed.steps.map(index => known[index]);
    this.counts = COUNTERS.map(() => new Float64Array(this.length + 1));
    this.node = new Int32Array(this.length + 1);
    this.parent = [-1];
    this.placed = [null];
    this.solutions = [];
    this.replay();
  }

  replay() {
    let top = 0;
    this.events.forEach((event, i) => {
      const step = i + 1;
      for (let c = 0; c < COUNTERS.length; c++) this.counts[c][step] = this.counts[c][i] + (event.more[c] ?? 0);
      if (event.kind === "place") {
        this.parent.push(top);
        top = this.placed.push(event) - 1;
      } else if (event.kind === "undo") {
        top = this.parent[top];
      } else if (event.kind === "solution") {
        this.counts[COUNTERS.indexOf("solutions")][step]++;
        this.solutions.push(step);
      }
      this.node[step] = top;
    });
  }

  event(step) {
    return step > 0 ? this.events[step - 1] : null;
  }

  // The "place" events whose queens are on the board, from the first row on.
  queens(step) {
    const found = [];
    for (let node = this.node[step]; node > 0; node = this.parent[node]) found.push(this.placed[node]);
    return found.reverse();
  }

  totals() {
    return this.counts.map(count => count[this.length]);
  }
}

// What happened, in words.
function sentence(program, step) {
  const event = program.event(step);
  if (!event) return "The board is empty. The search begins on row 0.";
  const { kind, row, column } = event;
  if (kind === "reject") return `Row ${row}, column ${column}: attacked by ${attackersInWords(event)}.`;
  if (kind === "place") {
    const struck = event.removed.length;
    const more = struck ? ` ${struck === 1 ? "1 square below is" : `${struck} squares below are`} struck out.` : "";
    return `Row ${row}, column ${column}: free, so a queen goes there.${more}`;
  }
  if (kind === "wipeout") {
    const last = program.queens(step).at(-1);
    return `Row ${row} has no square left, so the queen on row ${last.row} cannot stay.`;
  }
  if (kind === "solution") {
    return `Solution ${program.solutions.indexOf(step) + 1}: every row has its queen.`;
  }
  if (step === program.length && program.complete) {
    return `Row 0 has no square left to try: the search is over. Solutions: ${program.solutions.length}.`;
  }
  const before = program.event(step - 1).kind;
  const why = { solution: "to look for another solution", wipeout: "at once" }[before]
    ?? `because row ${row + 1} has nothing left to try`;
  return `Back to row ${row}: the queen leaves column ${column}, ${why}.`;
}

function attackersInWords({ column, attackers }) {
  const rows = attackers.map(([row]) => row);
  const last = rows.pop();
  if (rows.length) return `the queens on rows ${rows.join(", ")} and ${last}`;
  return `the queen on row ${last} (${attackers[0][1] === column ? "same column" : "diagonal"})`;
}

// The search trees of several programs laid over each other: the same partial placement is the same node in all of them.
// Squares that a program only looked at and found attacked are nodes too, "stubs".
class Tree {
  constructor(programs) {
    this.parent = [-1];
    this.square = [-1];
    this.depth = [0];
    this.children = [];
    this.real = [true]; // somebody put a queen there
    this.special = [false]; // somebody found a solution there, or a row without a square
    const known = new Map();
    const n = programs[0].n;
    const child = (parent, { row, column }) => {
      const square = row * n + column;
      const key = parent * n * n + square;
      let node = known.get(key);
      if (node === undefined) {
        node = this.parent.push(parent) - 1;
        this.square.push(square);
        this.depth.push(this.depth[parent] + 1);
        this.real.push(false);
        this.special.push(false);
        (this.children[parent] ??= []).push(node);
        known.set(key, node);
      }
      return node;
    };
    this.size = 1;
    this.tracks = programs.map(program => new Track(program, this, child));
    this.size = this.parent.length;
    for (const siblings of this.children) siblings?.sort((a, b) => this.square[a] - this.square[b]);
    this.number();
    for (const track of this.tracks) track.settle();
    this.length = Math.max(...this.tracks.map(track => track.key.at(-1)));
    this.deepest = this.depth.reduce((most, depth, node) => (this.real[node] && depth > most ? depth : most), 1);
  }

  // Number the moments at which a node is entered and left, in the order of a search of all programs at once, and give each
  // node a place from left to right: with the stubs, and without them.
  number() {
    const { size, children } = this;
    [this.enter, this.leave] = [new Int32Array(size), new Int32Array(size)];
    this.layouts = { whole: new Layout(this, () => true), slim: new Layout(this, node => this.real[node]) };
    let moment = 0;
    const stack = [];
    const open = node => {
      this.enter[node] = moment++;
      if (this.special[node]) moment++;
      for (const layout of Object.values(this.layouts)) layout.open(node);
      stack.push([node, 0]);
    };
    const close = node => {
      this.leave[node] = this.real[node] ? moment++ : this.enter[node];
      for (const layout of Object.values(this.layouts)) layout.close(node);
    };
    open(0);
    while (stack.length) {
      const top = stack.at(-1);
      const next = children[top[0]]?.[top[1]++];
      if (next !== undefined) open(next);
      else close(stack.pop()[0]);
    }
  }
}

// Places from left to right, in leaves: each node stands at `x` over what is below it, which reaches from `low` to `high`.
class Layout {
  constructor(tree, takes) {
    this.tree = tree;
    this.takes = takes;
    this.leaves = 0;
    [this.x, this.low, this.high] = [0, 1, 2].map(() => new Float64Array(tree.size));
  }

  open(node) {
    this.low[node] = this.leaves;
  }

  close(node) {
    if (!this.takes(node)) return;
    const below = this.tree.children[node]?.filter(this.takes) ?? [];
    if (!below.length) this.leaves++;
    this.high[node] = this.leaves;
    this.x[node] = below.length ? (this.x[below[0]] + this.x[below.at(-1)]) / 2 : this.leaves - 0.5;
  }
}

// Where a program goes in the tree.
class Track {
  constructor(program, tree, child) {
    this.program = program;
    this.tree = tree;
    this.at = new Int32Array(program.length + 1); // the node that a step is about
    let top = 0;
    program.events.forEach((event, i) => {
      let node = top;
      if (event.kind === "place" || event.kind === "reject") node = child(top, event);
      if (event.kind === "place") {
        tree.real[node] = true;
        top = node;
      } else if (event.kind === "undo") {
        top = tree.parent[top];
      } else if (event.kind !== "reject") {
        tree.special[node] = true;
      }
      this.at[i + 1] = node;
    });
  }

  // Note the step at which each node is visited, found attacked, ended and left (0: never), and the moment of each step.
  settle() {
    const { tree, program } = this;
    [this.visited, this.rejected, this.ended, this.left] = [0, 1, 2, 3].map(() => new Int32Array(tree.size));
    this.key = new Int32Array(program.length + 1);
    for (let step = 1; step <= program.length; step++) {
      const node = this.at[step];
      const { kind } = program.event(step);
      const note = { place: "visited", reject: "rejected", undo: "left" }[kind] ?? "ended";
      this[note][node] = step;
      const moment = kind === "undo" ? tree.leave[node] : tree.enter[node] + (note === "ended" ? 1 : 0);
      this.key[step] = Math.max(moment, this.key[step - 1]);
    }
  }

  // The number of steps that the program has taken at this moment of the common search.
  stepAt(moment) {
    let [low, high] = [0, this.program.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.key[middle] <= moment) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  hasVisited(node, step) {
    return node === 0 || (this.visited[node] > 0 && this.visited[node] <= step);
  }

  // The nodes of the queens on the board, from the empty board on.
  path(step) {
    const found = [];
    let node = this.at[step];
    const kind = this.program.event(step)?.kind;
    if (kind === "reject" || kind === "undo") node = this.tree.parent[node];
    for (; node > 0; node = this.tree.parent[node]) found.push(node);
    found.push(0);
    return found.reverse();
  }
}
