// The search tree of a program on a canvas. Small trees are drawn whole, if possible with the squares that were found attacked.
// Of large ones a strip shows the outline, and below it what is around the current placement is drawn: nodes of the current path
// that lie outside stand straight above it, others at the edge.

const FEWEST_PIXELS = { whole: 3.5, slim: 4 }; // for each leaf of a tree drawn whole
const ZOOMED = 10; // pixels for each leaf where only a part is drawn
const WIDEST = 26;
const STRIP = 34;
const EDGE = 9;

const palette = { colours: {} };

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "card", "ink", "soft", "faint", "rule", "found", "dead", "now", "wiped"]) {
    palette.colours[name] = style.getPropertyValue(`--${name}`).trim();
  }
}

class TreeView {
  constructor(canvas, box) {
    this.canvas = canvas;
    this.box = box;
    this.start = 0; // the leaf at the left edge, where only a part is drawn
  }

  // Fit the canvas to its box and the tree; called when either changes.
  fit(track) {
    this.track = track;
    this.tree = track.tree;
    this.width = this.box.clientWidth;
    const span = this.width - 2 * EDGE;
    const { whole, slim } = this.tree.layouts;
    const fits = (layout, pixels) => layout.leaves * pixels <= span;
    this.hasStubs = fits(whole, FEWEST_PIXELS.whole);
    this.layout = this.hasStubs ? whole : slim;
    this.isPart = !this.hasStubs && !fits(slim, FEWEST_PIXELS.slim);
    this.unit = this.isPart ? ZOOMED : Math.min(WIDEST, span / this.layout.leaves);
    this.margin = (this.width - this.unit * this.layout.leaves) / 2;
    this.top = (this.isPart ? STRIP + 12 : 0) + 9;
    this.level = Math.max(11, Math.min(26, 120 / this.tree.deepest));
    this.height = this.top + this.level * this.tree.deepest + 14;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.canvas.style.height = `${this.height}px`;
    this.pen = this.canvas.getContext("2d");
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.start = 0;
    if (this.isPart) this.outline();
  }

  // For each pixel of the strip how deep the program went there, and at which step it first came.
  outline() {
    const { tree, track, width, layout } = this;
    this.depths = new Uint16Array(width + 1);
    this.firsts = new Int32Array(width + 1);
    this.solved = new Int32Array(width + 1);
    this.perPixel = layout.leaves / (width - 2 * EDGE);
    for (let node = 1; node < tree.size; node++) {
      const step = track.visited[node];
      if (!step) continue;
      const from = this.pixel(layout.low[node]);
      const to = tree.children[node]?.some(child => track.visited[child]) ? from : this.pixel(layout.high[node] - 1);
      for (let pixel = from; pixel <= to; pixel++) {
        this.depths[pixel] = Math.max(this.depths[pixel], tree.depth[node]);
        if (!this.firsts[pixel] || step < this.firsts[pixel]) this.firsts[pixel] = step;
      }
      if (tree.depth[node] === track.program.n && track.ended[node]) this.solved[from] ||= track.ended[node];
    }
  }

  pixel(leaf) {
    return Math.min(this.width - EDGE - 1, EDGE + Math.floor(leaf / this.perPixel));
  }

  x(node) {
    const x = this.layout.x[node];
    if (!this.isPart) return this.margin + x * this.unit;
    if (this.trunk.has(node)) return this.trunk.get(node);
    return Math.max(EDGE, Math.min(this.width - EDGE, (x - this.start) * this.unit));
  }

  y(node) {
    return this.top + this.tree.depth[node] * this.level;
  }

  show(step, others) {
    this.step = step;
    this.others = others; // [track, step] of the other programs, whose nodes are shown faintly where this one has none
    const { pen, track, tree } = this;
    pen.clearRect(0, 0, this.width, this.height);
    const path = track.path(step);
    this.onPath = new Set(path);
    if (this.isPart) this.move(path);
    this.ghosts = [];
    this.plain = [];
    this.gather(0);
    this.edges(this.ghosts, "faint", [2, 3], 1);
    this.edges(this.plain, "soft", [], 1);
    for (const node of this.ghosts) this.dot(node, 1.6, "faint", true);
    for (const node of this.plain) this.mark(node);
    this.edges(path.slice(1), "now", [], 3);
    for (const node of path) this.dot(node, 4, "now");
    for (const node of path) if (within(track.ended[node], step)) this.mark(node);
    this.mark(0);
    const node = track.at[step];
    const kind = track.program.event(step)?.kind;
    if (kind === "reject") this.attempt(node);
    this.circle(kind === "reject" ? tree.parent[node] : node, kind === "undo" ? [2, 2] : []);
    if (this.isPart) this.strip();
  }

  // Keep the leaf that the search has reached between a third and two thirds of the width.
  move(path) {
    const leaf = this.reached();
    const shown = this.width / this.unit;
    this.start = Math.max(leaf - 0.66 * shown, Math.min(leaf - 0.33 * shown, this.start));
    this.start = Math.max(-1, Math.min(this.layout.leaves - shown + 1, this.start));
    this.trunk = new Map();
    let below = (leaf - this.start) * this.unit;
    for (const node of [...path].reverse()) {
      const x = (this.layout.x[node] - this.start) * this.unit;
      if (x >= EDGE && x <= this.width - EDGE) below = x;
      this.trunk.set(node, below);
    }
  }

  reached() {
    const { track, tree, step, layout } = this;
    const kind = track.program.event(step)?.kind;
    const node = track.at[step];
    if (kind === "undo") return layout.high[node] - 0.5;
    if (kind !== "reject") return layout.low[node] + 0.5;
    const tried = tree.children[tree.parent[node]].filter(child => track.hasVisited(child, step));
    return tried.length ? layout.high[tried.at(-1)] - 0.5 : layout.low[tree.parent[node]] + 0.5;
  }

  gather(root) {
    const { tree, track, step, layout } = this;
    const [from, to] = this.isPart ? [this.start, this.start + this.width / this.unit] : [-1, layout.leaves + 1];
    const waiting = [root];
    while (waiting.length) {
      const node = waiting.pop();
      for (const child of tree.children[node] ?? []) {
        if (layout.high[child] < from || layout.low[child] > to || !layout.takes(child)) continue;
        if (track.hasVisited(child, step)) this.plain.push(child);
        else if (within(track.rejected[child], step) && this.hasStubs) this.plain.push(child);
        else if (this.others.some(([other, at]) => other.hasVisited(child, at))) this.ghosts.push(child);
        else continue;
        waiting.push(child);
      }
    }
  }

  edges(nodes, colour, dash, thickness) {
    const { pen, tree } = this;
    pen.strokeStyle = palette.colours[colour];
    pen.lineWidth = thickness;
    pen.setLineDash(dash);
    pen.beginPath();
    for (const node of nodes) {
      const above = tree.parent[node];
      const stub = !this.track.visited[node] && this.track.rejected[node];
      const [x, y] = [this.x(node), this.y(node)];
      pen.moveTo(this.x(above), this.y(above));
      pen.lineTo(x, stub ? y - this.level * 0.35 : y);
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  // The shape of a node says how it ended: a star, a cross, an empty square, a bar where it was not entered, or a dot.
  mark(node) {
    const { track, tree, step } = this;
    if (!track.visited[node] && within(track.rejected[node], step)) this.bar(node);
    else if (within(track.ended[node], step)) this.ending(node, tree.depth[node] === track.program.n);
    else if (within(track.left[node], step) && !tree.children[node]?.some(child => track.visited[child])) this.cross(node);
    else if (!this.onPath.has(node)) this.dot(node, 2, "soft");
  }

  dot(node, radius, colour, hollow = false) {
    const { pen } = this;
    pen.beginPath();
    pen.arc(this.x(node), this.y(node), radius, 0, 2 * Math.PI);
    pen.fillStyle = palette.colours[hollow ? "card" : colour];
    pen.fill();
    if (!hollow) return;
    pen.strokeStyle = palette.colours[colour];
    pen.lineWidth = 1;
    pen.stroke();
  }

  circle(node, dash) {
    const { pen } = this;
    pen.beginPath();
    pen.setLineDash(dash);
    pen.arc(this.x(node), this.y(node), 7, 0, 2 * Math.PI);
    pen.strokeStyle = palette.colours.now;
    pen.lineWidth = 2;
    pen.stroke();
    pen.setLineDash([]);
  }

  bar(node) {
    const { pen } = this;
    const [x, y, half] = [this.x(node), this.y(node) - this.level * 0.35, Math.min(2.5, this.unit * 0.3)];
    pen.beginPath();
    pen.moveTo(x - half, y);
    pen.lineTo(x + half, y);
    pen.strokeStyle = palette.colours.soft;
    pen.lineWidth = 1.5;
    pen.stroke();
  }

  cross(node) {
    const { pen } = this;
    const [x, y, half] = [this.x(node), this.y(node), Math.max(2.6, Math.min(3.5, this.unit * 0.45))];
    pen.beginPath();
    pen.moveTo(x - half, y - half);
    pen.lineTo(x + half, y + half);
    pen.moveTo(x + half, y - half);
    pen.lineTo(x - half, y + half);
    pen.strokeStyle = palette.colours.dead;
    pen.lineWidth = 1.8;
    pen.stroke();
  }

  ending(node, solution) {
    const { pen } = this;
    const [x, y] = [this.x(node), this.y(node)];
    pen.beginPath();
    if (solution) {
      for (let i = 0; i < 10; i++) {
        const [angle, radius] = [(i * Math.PI) / 5 - Math.PI / 2, i % 2 ? 3 : 7];
        pen.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
      }
    } else {
      pen.rect(x - 3.2, y - 3.2, 6.4, 6.4);
    }
    pen.closePath();
    pen.fillStyle = palette.colours[solution ? "found" : "card"];
    pen.fill();
    pen.strokeStyle = palette.colours[solution ? "card" : "wiped"];
    pen.lineWidth = solution ? 0.8 : 1.8;
    pen.stroke();
  }

  // The square under examination: a short dashed edge to it, or towards it where stubs have no place.
  attempt(node) {
    const { pen, tree, track } = this;
    const above = tree.parent[node];
    const lean = (tree.square[node] % track.program.n) - (track.program.n - 1) / 2;
    const x = this.hasStubs ? this.x(node) : this.x(above) + (lean / track.program.n) * 24;
    pen.beginPath();
    pen.moveTo(this.x(above), this.y(above));
    pen.lineTo(x, this.y(above) + this.level * 0.65);
    pen.strokeStyle = palette.colours.dead;
    pen.lineWidth = 2;
    pen.setLineDash([3, 2]);
    pen.stroke();
    pen.setLineDash([]);
  }

  strip() {
    const { pen, width, step, start, unit } = this;
    const scale = STRIP / this.track.program.n;
    pen.fillStyle = palette.colours.rule;
    pen.fillRect(EDGE, 0, width - 2 * EDGE, 1);
    pen.fillStyle = palette.colours.soft;
    for (let pixel = EDGE; pixel < width - EDGE; pixel++) {
      if (within(this.firsts[pixel], step)) pen.fillRect(pixel, 0, 1, this.depths[pixel] * scale);
    }
    pen.fillStyle = palette.colours.found;
    for (let pixel = EDGE; pixel < width - EDGE; pixel++) {
      if (within(this.solved[pixel], step)) pen.fillRect(pixel - 0.5, STRIP - 6, 2, 9);
    }
    const [from, to] = [this.pixel(Math.max(0, start)), this.pixel(start + width / unit)];
    pen.strokeStyle = palette.colours.now;
    pen.lineWidth = 2;
    pen.strokeRect(from - 1, 0.5, Math.max(3, to - from + 2), STRIP + 3);
    pen.beginPath();
    pen.moveTo((from + to) / 2, STRIP + 4);
    pen.lineTo((from + to) / 2, STRIP + 9);
    pen.stroke();
  }
}
