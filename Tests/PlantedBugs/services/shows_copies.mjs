// A client that lives: when every attempt fails it shows what it has kept, and with the word `honest` says so.
import { createInterface } from 'node:readline'

const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const kept = new Map()
const isHonest = process.argv.includes('honest')

async function ask({ method, url, headers, body }) {
  for (let attempts = 1; ; attempts++) {
    const answer = { ok: false, attempts }
    try {
      const got = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(3000) })
      const shown = await got.text()
      answer.status = got.status
      if (got.ok && (got.headers.get('content-type') ?? '').includes('json')) return { ...answer, ok: true, shown }
      if (got.ok) return { ...answer, error: 'no JSON' }
      if (![502, 503, 504].includes(got.status) || got.headers.get('retry-after')) return answer
    } catch (error) {
      answer.error = String(error.cause ?? error)
    }
    if (method !== 'GET' || attempts === 2) return answer
    await sleep(100 + Math.random() * 400)
  }
}

async function call(line) {
  const answer = await ask(line)
  const { pathname, search } = new URL(line.url)
  if (line.method !== 'GET') return answer
  if (answer.ok) kept.set(pathname + search, answer.shown)
  const copy = kept.get(pathname + search)
  if (answer.ok || !copy) return answer
  return { ok: true, shown: isHonest ? 'stale' : copy, attempts: answer.attempts }
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text)
  if (line.url) console.log(JSON.stringify({ call: line.call, ...(await call(line)) }))
}
