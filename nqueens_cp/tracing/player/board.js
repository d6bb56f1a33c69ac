// The board of a program, as SVG: made once, then only what changes is touched.

const SIDE = 40;
const QUEEN = "M9 30.5h22v3.5H9zM10 28L6.6 14.2L14 20.6L20 9.4L26 20.6L33.4 14.2L30 28z"
  + "M6.6 10.4a2 2 0 1 0 .1 0zM20 5.4a2 2 0 1 0 .1 0zM33.4 10.4a2 2 0 1 0 .1 0z";
const MARKS = {
  looked: "M11 11L29 29M29 11L11 29",
  rejected: "M16 16L24 24M24 16L16 24",
  spent: "M14 20H26",
  struck: "M4 36L36 4M4 20L20 4M20 36L36 20",
};

function draw(tag, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}

class Board {
  constructor(svg, program) {
    this.svg = svg;
    this.program = program;
    const n = program.n;
    const margin = Math.max(18, 2.6 * n);
    const letters = margin * 0.72;
    svg.setAttribute("viewBox", `${-margin} ${-margin} ${n * SIDE + margin + 3} ${n * SIDE + margin + 3}`);
    this.rows = [];
    for (let i = 0; i < n; i++) {
      const middle = i * SIDE + SIDE / 2;
      const place = { class: "label", "font-size": letters, "text-anchor": "middle", "dominant-baseline": "central" };
      draw("text", { ...place, x: middle, y: -margin / 2 }, svg).textContent = i;
      this.rows.push(draw("text", { ...place, x: -margin / 2, y: middle }, svg));
      this.rows[i].textContent = i;
    }
    this.squares = [];
    for (let row = 0; row < n; row++) {
      for (let column = 0; column < n; column++) {
        const group = draw("g", { transform: `translate(${column * SIDE} ${row * SIDE})` }, svg);
        const shade = (row + column) % 2 ? "dark" : "light";
        draw("rect", { class: shade, width: SIDE, height: SIDE }, group);
        this.squares.push({ group, mark: draw("path", { class: "mark", d: "" }, group), state: "" });
      }
    }
    this.frame = draw("rect", { class: "frame", width: n * SIDE, height: n * SIDE }, svg);
    this.empty = draw("rect", { class: "emptied", x: 1.5, width: Math.max(0, n * SIDE - 3), height: SIDE - 3 }, svg);
    this.lines = Array.from({ length: Math.min(n, 4) }, () => draw("line", { class: "attack" }, svg));
    this.queens = Array.from({ length: n }, () => draw("path", { class: "queen", d: QUEEN }, svg));
    this.ring = draw("rect", { class: "ring", width: SIDE - 4, height: SIDE - 4, rx: 4 }, svg);
  }

  show(track, step) {
    const { program, squares } = this;
    const n = program.n;
    const event = program.event(step);
    const queens = program.queens(step);
    const states = new Array(n * n).fill("");
    for (const { removed } of queens) for (const [row, column] of removed) states[row * n + column] = "struck";
    for (const node of track.path(step)) {
      for (const child of track.tree.children[node] ?? []) {
        const square = track.tree.square[child];
        if (within(track.rejected[child], step)) states[square] = "rejected";
        else if (within(track.left[child], step)) states[square] = "spent";
      }
    }
    if (event?.kind === "place") for (const [row, column] of event.removed) states[row * n + column] = "struck fresh";
    for (const { row, column } of queens) states[row * n + column] = "taken";
    if (event?.kind === "reject") states[event.row * n + event.column] = "looked";
    squares.forEach((square, i) => {
      if (square.state === states[i]) return;
      square.state = states[i];
      square.group.setAttribute("class", states[i]);
      square.mark.setAttribute("d", MARKS[states[i].split(" ")[0]] ?? "");
    });
    this.showPieces(queens, event);
    this.svg.classList.toggle("solved", event?.kind === "solution");
    this.svg.setAttribute("aria-label", this.inWords(queens));
  }

  showPieces(queens, event) {
    const attackers = event?.attackers ?? [];
    this.queens.forEach((queen, i) => {
      const here = queens[i];
      queen.toggleAttribute("hidden", !here);
      if (!here) return;
      queen.setAttribute("transform", `translate(${here.column * SIDE} ${here.row * SIDE})`);
      const attacks = attackers.some(([row, column]) => row === here.row && column === here.column);
      queen.setAttribute("class", attacks ? "queen attacks" : "queen");
    });
    const middle = index => index * SIDE + SIDE / 2;
    this.lines.forEach((line, i) => {
      line.toggleAttribute("hidden", i >= attackers.length);
      if (i >= attackers.length) return;
      const ends = { x1: middle(attackers[i][1]), y1: middle(attackers[i][0]), x2: middle(event.column), y2: middle(event.row) };
      for (const [name, value] of Object.entries(ends)) line.setAttribute(name, value);
    });
    const onSquare = event && event.column >= 0;
    this.ring.toggleAttribute("hidden", !onSquare);
    if (onSquare) {
      this.ring.setAttribute("class", `ring ${event.kind}`);
      this.ring.setAttribute("transform", `translate(${event.column * SIDE + 2} ${event.row * SIDE + 2})`);
    }
    const wiped = event?.kind === "wipeout";
    this.empty.toggleAttribute("hidden", !wiped);
    if (wiped) this.empty.setAttribute("y", event.row * SIDE + 1.5);
    this.rows.forEach((label, row) => label.classList.toggle("now", event?.row === row));
  }

  inWords(queens) {
    if (!queens.length) return `${this.program.title}: an empty board`;
    return `${this.program.title}: queens on ${queens.map(({ row, column }) => `row ${row} column ${column}`).join(", ")}`;
  }
}

function within(noted, step) {
  return noted > 0 && noted <= step;
}
