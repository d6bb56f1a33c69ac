// Moments worth a look, found in the traces themselves, each with what there is to see.

function moments(tree) {
  const found = [firstRefusal(tree), firstDeadEnd(tree), firstEmptyRow(tree), largestSaving(tree), firstSolution(tree), theEnd(tree)];
  return found.filter((moment, i) => moment && found.findIndex(other => other?.name === moment.name) === i);
}

function number(value) {
  return value.toLocaleString("en");
}

function times(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

function stepOfKind(track, kind) {
  return track.program.events.findIndex(event => event.kind === kind) + 1;
}

function firstRefusal(tree) {
  const track = tree.tracks.find(one => stepOfKind(one, "reject"));
  if (!track) return null;
  const step = stepOfKind(track, "reject");
  const { n } = track.program;
  const below = n - 1 - track.program.event(step).row;
  const spared = below
    ? ` The rows below can be filled in ${n}^${below} = ${number(n ** below)} ways, and none of them has to be looked at: this is pruning.`
    : "";
  return { name: "An attacked square", track, step, text: sentence(track.program, step) + spared };
}

function firstDeadEnd(tree) {
  for (const track of tree.tracks) {
    const step = track.program.events.findIndex((event, i) => {
      const node = track.at[i + 1];
      return event.kind === "undo" && !track.ended[node] && !tree.children[node]?.some(child => track.visited[child]);
    }) + 1;
    if (!step) continue;
    const { row } = track.program.event(step);
    const text = `${track.program.title} finds every square of row ${row + 1} attacked. It takes back the queen on row ${row} and goes `
      + "on with the next square of that row: this is backtracking. Rows further up keep their queens.";
    return { name: "The first dead end", track, step, text };
  }
  return null;
}

function emptyRows(tree) {
  return tree.tracks.flatMap(track => track.program.events
    .map((event, i) => ({ track, step: i + 1, node: track.at[i + 1], kind: event.kind }))
    .filter(({ kind }) => kind === "wipeout"));
}

// The program that spends the most steps below a node, and how many it needs until it leaves it.
function longestStay(tree, node) {
  const stays = tree.tracks.map(track => ({ track, steps: track.left[node] && track.visited[node] ? track.left[node] - track.visited[node] : 0 }));
  return stays.reduce((most, stay) => (stay.steps > most.steps ? stay : most));
}

function compared(tree, { track, step, node }) {
  const stay = longestStay(tree, node);
  const own = track.left[node] - track.visited[node];
  const text = `${track.program.title}: ${sentence(track.program, step)}`;
  if (stay.steps <= own) return text;
  return `${text} ${stay.track.program.title} does not look ahead: it needs ${times(stay.steps, "step")} from here until it turns back.`;
}

function firstEmptyRow(tree) {
  const [first] = emptyRows(tree);
  return first ? { name: "A row without a square", ...first, text: compared(tree, first) } : null;
}

function largestSaving(tree) {
  if (tree.tracks.length < 2) return null;
  const [first, ...rest] = emptyRows(tree).map(one => ({ ...one, saved: longestStay(tree, one.node).steps }));
  const best = rest.reduce((most, one) => (!most || one.saved > most.saved ? one : most), null);
  if (!best || best.saved <= first.saved) return null;
  return { name: "The largest saving", ...best, text: compared(tree, best) };
}

function firstSolution(tree) {
  const track = tree.tracks.find(one => one.program.solutions.length);
  if (!track) return null;
  const needed = tree.tracks
    .filter(one => one.program.solutions.length)
    .map(({ program }) => `${program.title} ${number(program.counts[1][program.solutions[0]])}`);
  const text = `The first solution. Squares considered for a queen until here: ${needed.join(", ")}.`;
  return { name: "The first solution", track, step: track.program.solutions[0], text };
}

function theEnd(tree) {
  const whole = tree.tracks.every(one => one.program.complete);
  const { n } = tree.tracks[0].program;
  const found = tree.tracks.map(({ program }) => program.solutions.length);
  const said = found.every(count => count === found[0])
    ? `${tree.tracks.length > 1 ? "All have" : "It has"} found ${times(found[0], "solution")}.`
    : `They have found ${found.join(", ")} solutions.`;
  const text = whole
    ? `${said} One queen on each row can be placed in ${n}^${n} = ${number(n ** n)} ways; `
      + `${times(Math.max(...tree.tracks.map(one => one.program.counts[0].at(-1))), "partial placement")} were enough.`
    : `The recording ends here. ${said}`;
  return { name: "The end", end: true, text };
}
