// Drives one Node HTTP library for all calls of a drill: client.mjs LIBRARY
// Each line of standard input is a call, and each line of standard output its result. A library is used at its
// defaults; a name with "+" adds the retries of its documentation. The check for success is the library's own.
import http from 'node:http';
import https from 'node:https';
import { createRequire } from 'node:module';
import readline from 'node:readline';

// A module searches no global folder, but a CommonJS one does: NODE_PATH.
const load = createRequire(import.meta.url);

const libraries = {
  fetch: () => async ({ method, url, headers, body }) => {
    const response = await fetch(url, { method, headers, body });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return [response.status, await response.text()];
  },
  http: () => ({ method, url, headers, body }) =>
    new Promise((resolve, reject) => {
      const request = (url.startsWith('https') ? https : http).request(url, { method, headers }, (response) => {
        if (response.statusCode < 200 || response.statusCode > 299) {
          response.resume();
          reject(new Error(`status ${response.statusCode}`));
          return;
        }
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => { text += piece; });
        response.on('end', () => {
          if (response.complete) resolve([response.statusCode, text]);
          else reject(new Error('incomplete'));
        });
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    }),
  axios: () => {
    const axios = load('axios');
    return async ({ method, url, headers, body }) => {
      // The text as it came, to compare it; the default decodes it.
      const transformResponse = (text) => text;
      const response = await axios({ method, url, headers, data: body, transformResponse });
      return [response.status, response.data];
    };
  },
  got: () => {
    const got = load('got');
    return async ({ method, url, headers, body }) => {
      const response = await got(url, { method, headers, body });
      return [response.statusCode, response.body];
    };
  },
  undici: () => {
    const { request } = load('undici');
    return async ({ method, url, headers, body }) => {
      const response = await request(url, { method, headers, body });
      const text = await response.body.text();
      if (response.statusCode < 200 || response.statusCode > 299) throw new Error(`status ${response.statusCode}`);
      return [response.statusCode, text];
    };
  },
  superagent: (retries) => {
    const superagent = load('superagent');
    return async ({ method, url, headers, body }) => {
      let request = superagent(method, url).set(headers).buffer(true).parse(superagent.parse.text);
      if (retries && method !== 'POST') request = request.retry(retries);
      const response = body ? await request.send(body) : await request;
      return [response.status, response.text];
    };
  },
  'superagent+retry': () => libraries.superagent(2),
};

const call = libraries[process.argv[2]]();
for await (const text of readline.createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (!line.url) continue;
  let result;
  try {
    const [status, shown] = await call({ ...line, body: line.body || undefined });
    result = { ok: true, status, shown };
  } catch (error) {
    result = { ok: false, error: `${error.name} ${error.code ?? ''} ${error.message}`.slice(0, 200) };
  }
  process.stdout.write(`${JSON.stringify({ call: line.call, ...result })}\n`);
}
