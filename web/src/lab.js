// What the page knows: the scenario, what was changed in it, the motion; and how to ask for a new one.
import {Crew} from "./crew.js";
import {Motion} from "./motion.js";

export class Lab {
  /** @param {WebAssembly.Module} module @param {{name: string, others?: string[], files: Record<string, string>, settings?: Record<string, string>}} scenario */
  constructor(module, scenario) {
    this.crew = new Crew(module);
    this.original = scenario;
    this.name = scenario.name;
    this.files = {...scenario.files};
    /** @type {Record<string, number>} */
    this.values = {}; // parameters and start values that were moved
    /** @type {Record<string, string>} */
    this.settings = {...scenario.settings}; // other entries, such as run.until
    this.about = /** @type {any} */ (null);
    this.version = 0; // of what is known about the scenario
    this.recorded = ""; // the scenario of a recorded run, all settings in it, that the page is to show
    this.trying = false; // the text of a recorded run; where it does not run by itself, the scenario stays
    this.unread = false; // what is known is of another scenario
    this.motion = /** @type {Motion | null} */ (null);
    this.trouble = /** @type {{text: string, line: number, column: number, file: string} | null} */ (null);
    this.busy = false;
    this.took = NaN;
    this.window = /** @type {[number, number] | null} */ (null); // samples in full
    /** @type {Record<string, (() => void)[]>} */
    this.listeners = {};
  }
  /** @param {"asked" | "about" | "motion" | "rows" | "ended" | "trouble" | "changed"} what @param {() => void} act */
  on(what, act) { (this.listeners[what] ??= []).push(act); }
  /** @param {string} what */
  tell(what) { for (const act of this.listeners[what] ?? []) act(); }

  /** The scenarios of the page. */
  get scenarios() { return [this.original.name, ...this.original.others ?? []]; }
  /** Another scenario of the page, as it is written; false: there is none of that name. @param {string} name */
  choose(name) {
    if (!this.scenarios.includes(name)) return false;
    this.name = name;
    this.files = {...this.original.files};
    this.values = {};
    this.settings = this.own();
    this.unread = true;
    this.version = 0;
    this.window = null;
    return true;
  }
  /** The settings that the page was made with belong to its first scenario. @returns {Record<string, string>} */
  own() { return this.name === this.original.name ? {...this.original.settings} : {}; }
  /** The text of the scenario itself. */
  get text() { return this.files[this.name]; }
  /** The recorded run takes the place of the scenario where something was set for it. */
  takeRecorded() {
    const text = this.recorded;
    this.recorded = "";
    if (text === this.about.scenario) return false;
    this.trying = true;
    this.edit(text);
    return true;
  }
  /** @param {string} text */
  edit(text) {
    this.files = {...this.files, [this.name]: text};
    this.tell("changed");
    this.run();
  }
  /** @param {string} name @param {number} value */
  setValue(name, value) {
    this.values = {...this.values, [name]: value};
    this.tell("changed");
    this.run();
  }
  /** @param {string} path @param {string | null} value */
  setSetting(path, value) {
    const {[path]: _, ...others} = this.settings;
    this.settings = value === null || value === "" ? others : {...others, [path]: value};
    this.tell("changed");
    this.run();
  }
  reset() {
    this.files = {...this.original.files};
    this.values = {};
    this.settings = this.own();
    this.tell("changed");
    this.run();
  }
  /** Words of the command line that say what was changed. @returns {string[]} */
  changes() {
    const all = [...Object.entries(this.values).map(([name, value]) => [name, String(value)]), ...Object.entries(this.settings)];
    return all.flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  }
  run() {
    this.busy = true;
    /** @type {Motion | null} */
    let coming = null;
    const asked = performance.now();
    // a value is set as on the command line where it is no parameter or start value of what was read last
    const ask = {version: this.version, files: this.files, name: this.name, settings: Object.entries(this.settings), values: this.values, from: this.window?.[0], until: this.window?.[1]};
    this.tell("asked");
    this.crew.run(ask, (message) => {
      if (message.kind === "begun") {
        if (message.about) { this.about = message.about; this.unread = false; }
        if (this.recorded && this.takeRecorded()) return;
        this.trying = false;
        this.version = message.version;
        this.trouble = null;
        coming = new Motion(this.about, message.layout);
        coming.asked = asked;
        if (message.about) this.tell("about");
        this.tell("trouble");
      } else if (message.kind === "rows" && coming) {
        coming.addSamples(message.samples, message.fresh);
        coming.addEvents(message.news, message.names);
        coming.reached = message.time;
        const first = this.motion !== coming;
        this.motion = coming;
        this.tell(first ? "motion" : "rows");
      } else if (message.kind === "ended" && coming) {
        this.busy = false;
        this.took = message.took;
        coming.summary = message.summary;
        this.motion = coming;
        this.tell("ended");
      } else if (message.kind === "trouble" || message.kind === "broken") {
        this.busy = false;
        if (message.kind === "broken") this.version = 0;
        if (this.trying) { this.trying = false; this.reset(); return; }
        this.trouble = {text: message.text, line: message.line ?? 0, column: message.column ?? 0, file: message.file ?? ""};
        this.tell("trouble");
      }
    });
  }
  stop() {
    this.crew.stopRun();
    this.version = 0;
    this.busy = false;
    this.tell("ended");
  }
}
