// A client that lives: it keeps connections, and never reads or ends an error response.
import http from "node:http";
import readline from "node:readline";

const agent = new http.Agent({ keepAlive: true });
const pause = (time) => new Promise((go) => setTimeout(go, time));

function ask({ url, method, headers, body }) {
  return new Promise((resolve) => {
    const request = http.request(url, { agent, method, headers, timeout: 3000 }, (response) => {
      if (response.statusCode >= 400) {
        request.setTimeout(0);
        return resolve({ status: response.statusCode });
      }
      let text = "";
      response.setEncoding("utf8").on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, text }));
      response.on("error", () => resolve({ error: "cut" }));
    });
    request.on("timeout", () => request.destroy(new Error("late")));
    request.on("error", (error) => resolve({ error: error.message }));
    request.end(body);
  });
}

async function call(line) {
  const tries = line.method === "GET" ? 3 : 1;
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await pause(200 * 2 ** attempt * Math.random());
    const { status, text, error } = await ask(line);
    if (status < 300) return { ok: true, shown: text };
    if (attempt + 1 === tries) return status ? { ok: false, status } : { ok: false, error };
  }
}

for await (const text of readline.createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (line.url) call(line).then((got) => console.log(JSON.stringify({ call: line.call, ...got })));
}
process.exit(0);
