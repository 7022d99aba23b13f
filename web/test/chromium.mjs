// A browser to try the page in: Chromium, driven over a pipe by its debugging protocol.
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

export class Browser {
  constructor() {
    this.profile = mkdtempSync(join(tmpdir(), "carom-lab-"));
    this.process = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run", "--disable-extensions",
      "--disable-background-networking", "--enable-unsafe-swiftshader", `--user-data-dir=${this.profile}`, "about:blank"], {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    this.next = 1;
    this.waiting = new Map();
    this.listeners = [];
    let text = "";
    const [to, from] = [this.process.stdio[3], this.process.stdio[4]];
    this.to = to;
    from.setEncoding("utf8");
    from.on("data", (part) => {
      text += part;
      for (let end; (end = text.indexOf("\0")) >= 0; text = text.slice(end + 1)) this.hear(JSON.parse(text.slice(0, end)));
    });
  }
  hear(message) {
    const wait = this.waiting.get(message.id);
    if (wait) {
      this.waiting.delete(message.id);
      if (message.error) wait.reject(new Error(message.error.message)); else wait.resolve(message.result);
    } else for (const act of this.listeners) act(message);
  }
  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.to.write(JSON.stringify({id, method, params, sessionId}) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }
  async page(width, height, mobile = false, dark = false) {
    const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
    const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
    const page = new Page(this, sessionId, targetId);
    await page.send("Page.enable");
    await page.send("Runtime.enable");
    await page.send("Log.enable");
    await page.send("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: mobile ? 2 : 1, mobile});
    await page.send("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
    if (mobile) await page.send("Emulation.setTouchEmulationEnabled", {enabled: true});
    return page;
  }
  async close() {
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 3000))]);
    this.process.kill("SIGKILL");
    rmSync(this.profile, {recursive: true, force: true, maxRetries: 5});
  }
}

class Page {
  constructor(browser, session, target) {
    Object.assign(this, {browser, session, target});
    this.complaints = []; // errors and warnings of the console
    browser.listeners.push(({method, params, sessionId}) => {
      if (sessionId !== session) return;
      if (method === "Runtime.exceptionThrown") this.complaints.push("exception: " + (params.exceptionDetails.exception?.description ?? params.exceptionDetails.text));
      if (method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(params.type)) this.complaints.push(`${params.type}: ${params.args.map((a) => a.value ?? a.description).join(" ")}`);
      if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.complaints.push(`${params.entry.level}: ${params.entry.text} ${params.entry.url ?? ""}`);
    });
  }
  send(method, params) { return this.browser.send(method, params, this.session); }
  async open(url) {
    const loaded = new Promise((resolve) => {
      const act = ({method, sessionId}) => { if (method === "Page.loadEventFired" && sessionId === this.session) { this.browser.listeners.splice(this.browser.listeners.indexOf(act), 1); resolve(null); } };
      this.browser.listeners.push(act);
    });
    await this.send("Page.navigate", {url});
    await loaded;
  }
  async eval(expression) {
    const {result, exceptionDetails} = await this.send("Runtime.evaluate", {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  /** Waits until an expression holds. */
  async until(expression, seconds = 20) {
    const end = Date.now() + 1000 * seconds;
    for (;;) {
      if (await this.eval(expression)) return;
      if (Date.now() > end) throw new Error(`it did not come true within ${seconds} s: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  async picture(file, whole = false) {
    const {data} = await this.send("Page.captureScreenshot", {format: "png", captureBeyondViewport: whole});
    writeFileSync(file, Buffer.from(data, "base64"));
  }
  async close() { await this.browser.send("Target.closeTarget", {targetId: this.target}); }
}
