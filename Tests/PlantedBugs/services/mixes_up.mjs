// A client that lives and keeps what it was answered. With the word `query` it keeps it by the path alone, and with
// `user` by all but the user, which it shows where the server fails. With `careful` it keeps it by the whole address,
// and says where it shows a copy.
import { createInterface } from 'node:readline'

const [how] = process.argv.slice(2)
const kept = new Map()

function key({ endpoint, url }) {
  const parameters = new URL(url).searchParams
  parameters.sort()
  if (how === 'user') parameters.delete('user')
  return how === 'query' ? endpoint : `${endpoint}?${parameters}`
}

async function call(line) {
  const { method, url, headers, body } = line
  const had = method === 'GET' && kept.get(key(line))
  if (had && performance.now() < had.until) return { ok: true, shown: had.text }
  try {
    const got = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(3000) })
    const text = await got.text()
    if (!got.ok) throw new Error(`status ${got.status}`)
    if (!(got.headers.get('content-type') ?? '').includes('json')) return { ok: false, error: 'no JSON' }
    const age = Number(/max-age=(\d+)/.exec(got.headers.get('cache-control') ?? '')?.[1] ?? 0)
    const fresh = { query: 60, user: 0, careful: age }[how]
    if (method === 'GET' && !got.headers.has('age')) kept.set(key(line), { text, until: performance.now() + fresh * 1000 })
    return { ok: true, shown: text }
  } catch (error) {
    if (had && how !== 'query') return { ok: true, shown: had.text, stale: true }
    return { ok: false, error: String(error.cause ?? error) }
  }
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text)
  if (line.url) console.log(JSON.stringify({ call: line.call, ...(await call(line)) }))
}
