// Playing the traces: one position for all programs, from which everything that is shown follows.

const SLOWEST = 0.5; // steps in a second
const FASTEST = 5000;
const PAUSING = 30; // up to this speed a solution is shown for a moment
const PAUSE = 1000; // milliseconds

const find = selector => document.querySelector(selector);

class Player {
  constructor(data) {
    this.programs = data.traces.map(packed => new Program(packed, data.n));
    this.bands = this.programs.map((program, i) => new Band(find(`#band-${i}`), program));
    this.position = 0;
    this.playing = false;
    this.slider = find("#position");
    this.speed = SLOWEST;
    readColours();
    this.choose();
    this.setSpeed(Math.max(3, Math.min(PAUSING, this.length / 60)));
    this.listen();
  }

  // Take the ticked programs and the ticked pace; a program that stays is still at the same step.
  choose() {
    const boxes = [...document.querySelectorAll("[name=program]")];
    const ticked = boxes.filter(box => box.checked);
    for (const box of boxes) box.disabled = ticked.length === 1 && box.checked; // one is always shown
    const before = this.shown ?? [];
    this.shown = this.bands.filter((band, i) => boxes[i].checked);
    this.tree = new Tree(this.shown.map(band => band.program));
    this.together = find("[name=pace]:checked").value === "together";
    this.length = this.together ? this.tree.length : Math.max(...this.shown.map(band => band.program.length));
    const most = COUNTERS.map((_, c) => Math.max(...this.shown.map(band => band.program.totals()[c])));
    for (const band of this.bands) band.section.hidden = !this.shown.includes(band);
    this.shown.forEach((band, i) => band.take(this.tree.tracks[i], most));
    this.solutions = [...new Set(this.tree.tracks.flatMap(track => track.program.solutions.map(step => this.positionOf(track, step))))];
    this.solutions.sort((a, b) => a - b);
    this.slider.max = this.length;
    find("#ticks").setAttribute("d", this.solutions.map(position => `M${position / this.length} 0v1`).join(""));
    this.listMoments();
    const stays = this.shown.find(band => before.includes(band));
    this.go(stays ? this.positionOf(stays.track, stays.step) : 0);
  }

  positionOf(track, step) {
    return this.together ? track.key[step] : step;
  }

  go(position) {
    this.position = Math.max(0, Math.min(this.length, position));
    find("#moment").textContent = "";
    this.slider.value = this.position;
    const said = `${number(this.position)} of ${number(this.length)}`;
    this.slider.setAttribute("aria-valuetext", said);
    find("#where").textContent = said;
    const steps = this.tree.tracks.map(track => (this.together ? track.stepAt(this.position) : Math.min(this.position, track.program.length)));
    this.shown.forEach((band, i) => {
      const others = this.tree.tracks.map((track, j) => [track, steps[j]]).filter((_, j) => j !== i);
      const rests = this.together && this.position > band.track.key[steps[i]] ? "waits" : "";
      band.show(steps[i], others, steps[i] === band.program.length ? "ends" : rests);
    });
    for (const id of ["start", "back"]) find(`#${id}`).disabled = this.position === 0;
    for (const id of ["forward", "end"]) find(`#${id}`).disabled = this.position === this.length;
    find("#solution").disabled = this.nextSolution() === undefined;
    if (!this.playing) this.announce();
  }

  // For those who listen: what the first of the programs that do something has just done.
  announce() {
    const busy = this.shown.find(band => band.state === "") ?? this.shown[0];
    find("#said").textContent = `${busy.program.title}: ${sentence(busy.program, busy.step)}`;
  }

  nextSolution() {
    return this.solutions.find(position => position > this.position);
  }

  jump(position) {
    this.pause();
    this.go(position);
  }

  play() {
    if (this.position === this.length) this.go(0);
    this.setPlaying(true);
    let [before, owed, hold] = [performance.now(), 0, 0];
    const frame = now => {
      if (!this.playing) return;
      const passed = Math.min(250, now - before); // a page that was out of sight does not catch up
      before = now;
      if (now >= hold) owed += (passed / 1000) * this.speed;
      const steps = Math.floor(owed);
      owed -= steps;
      if (steps) {
        let target = this.position + steps;
        if (this.speed <= PAUSING && this.nextSolution() <= target) {
          [target, owed, hold] = [this.nextSolution(), 0, now + PAUSE];
        }
        this.go(target);
      }
      if (this.position === this.length) this.pause();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  pause() {
    if (!this.playing) return;
    this.setPlaying(false);
    this.go(this.position);
  }

  setPlaying(playing) {
    this.playing = playing;
    document.body.classList.toggle("playing", playing);
    find("#play").setAttribute("aria-label", playing ? "Pause" : "Play");
    find("#play").title = `${playing ? "Pause" : "Play"} (space)`;
  }

  setSpeed(speed) {
    this.speed = speed;
    const slider = find("#speed");
    slider.value = (100 * Math.log(speed / SLOWEST)) / Math.log(FASTEST / SLOWEST);
    this.nameSpeed();
  }

  nameSpeed() {
    const { speed } = this;
    const name = speed < 1 ? "a step in 2 seconds" : `${times(speed < 10 ? Math.round(speed) : Number(speed.toPrecision(2)), "step")} a second`;
    find("#speed").setAttribute("aria-valuetext", name);
    find("#speed-name").textContent = name;
    document.body.classList.toggle("calm", speed > PAUSING); // nothing flashes many times a second
  }

  listMoments() {
    const list = find("#moments");
    list.replaceChildren();
    for (const moment of moments(this.tree)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = moment.name;
      button.addEventListener("click", () => {
        this.jump(moment.end ? this.length : this.positionOf(moment.track, moment.step));
        find("#moment").textContent = moment.text;
      });
      list.append(button);
    }
  }

  listen() {
    const actions = {
      start: () => this.jump(0),
      back: () => this.jump(this.position - 1),
      play: () => (this.playing ? this.pause() : this.play()),
      forward: () => this.jump(this.position + 1),
      end: () => this.jump(this.length),
      solution: () => this.jump(this.nextSolution() ?? this.position),
    };
    for (const [id, act] of Object.entries(actions)) find(`#${id}`).addEventListener("click", act);
    this.slider.addEventListener("input", () => this.jump(this.slider.valueAsNumber));
    find("#speed").addEventListener("input", event => {
      this.speed = SLOWEST * (FASTEST / SLOWEST) ** (event.target.valueAsNumber / 100);
      this.nameSpeed();
    });
    for (const box of document.querySelectorAll("[name=program], [name=pace]")) {
      box.addEventListener("change", () => {
        this.pause();
        this.choose();
      });
    }
    const keys = { " ": "play", ArrowRight: "forward", ArrowLeft: "back", Home: "start", End: "end", n: "solution", N: "solution" };
    document.addEventListener("keydown", event => {
      const id = keys[event.key];
      if (!id || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey && id !== "solution" || isKeyOf(event)) return;
      event.preventDefault();
      actions[id]();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      readColours();
      this.go(this.position);
    });
    const observer = new ResizeObserver(() => {
      for (const band of this.shown) band.view.fit(band.track);
      this.go(this.position);
    });
    for (const band of this.bands) observer.observe(band.view.box);
  }
}

// Whether the element that has the focus does something of its own with this key.
function isKeyOf({ target, key }) {
  if (key === " ") return target.closest("button, summary, [type=checkbox], [type=radio]") !== null;
  if (key.toLowerCase() === "n") return false;
  return target.closest("[type=range], [type=radio], .scroll, pre") !== null;
}

// What is shown of one program.
class Band {
  constructor(section, program) {
    this.section = section;
    this.program = program;
    this.board = new Board(section.querySelector(".board"), program);
    this.view = new TreeView(section.querySelector("canvas"), section.querySelector(".tree"));
    this.sentence = section.querySelector(".sentence");
    this.badge = section.querySelector(".badge");
    this.stats = COUNTERS.map(counter => {
      const stat = section.querySelector(`[data-counter=${counter}]`);
      return { value: stat.querySelector(".value"), fill: stat.querySelector(".fill") };
    });
    const source = section.querySelector("details"); // its band takes a row of its own, and must not be lost from sight
    source.addEventListener("toggle", () => source.open && section.scrollIntoView({ block: "nearest" }));
    this.code = [...section.querySelectorAll("[data-kinds]")].map(line => [line, line.dataset.kinds.split(" ")]);
  }

  take(track, most) {
    this.track = track;
    this.most = most;
    this.view.fit(track);
  }

  show(step, others, state) {
    this.step = step;
    this.state = state;
    const { program } = this;
    const event = program.event(step);
    this.section.dataset.step = step;
    this.section.classList.toggle("waits", state === "waits");
    const ended = program.complete ? `finished after ${times(step, "step")}` : `recording ends, ${times(step, "step")}`;
    this.badge.textContent = { waits: "waits, nothing to do here", ends: ended }[state] ?? `step ${number(step)} of ${number(program.length)}`;
    this.sentence.textContent = sentence(program, step);
    this.sentence.dataset.kind = event?.kind ?? "";
    this.board.show(this.track, step);
    this.view.show(step, others);
    this.stats.forEach(({ value, fill }, c) => {
      const count = program.counts[c][step];
      value.textContent = number(count);
      fill.style.transform = `scaleX(${this.most[c] ? count / this.most[c] : 0})`;
    });
    for (const [line, kinds] of this.code) line.classList.toggle("running", kinds.includes(event?.kind));
  }
}

new Player(JSON.parse(find("#traces").textContent));
