// A careful client that lives and makes calls beside each other: it limits an attempt and the whole call, repeats
// a GET at most twice with full jitter, keeps to Retry-After, posts once, and stops where it is told to.
import { createInterface } from 'node:readline'

const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const asked = (field) => (/^\d+$/.test(field) ? +field * 1000 : Date.parse(field) - Date.now() + 1000)
const air = new Map()

async function call({ method, url, headers, body }, whole) {
  const end = Date.now() + 8000
  for (let attempts = 1; ; attempts++) {
    const answer = { ok: false, attempts }
    let pause = 100 + Math.random() * 300 * 2 ** attempts
    try {
      const limit = AbortSignal.timeout(Math.max(100, Math.min(3000, end - Date.now())))
      const got = await fetch(url, { method, headers, body, signal: AbortSignal.any([limit, whole]) })
      const shown = await got.text()
      const isJSON = (got.headers.get('content-type') ?? '').includes('json')
      answer.status = got.status
      if (got.ok && isJSON) return { ...answer, ok: true, shown }
      if (got.ok) return { ...answer, error: 'no JSON' }
      if (![429, 502, 503, 504].includes(got.status)) return answer
      // What cannot be read asks for nothing.
      pause = Math.max(pause, asked(got.headers.get('retry-after') ?? '') || 0)
    } catch (error) {
      answer.error = whole.aborted ? 'cancelled' : String(error.cause ?? error)
    }
    if (whole.aborted || method !== 'GET' || attempts === 3 || Date.now() + pause > end - 500) return answer
    await sleep(pause)
    if (whole.aborted) return { ...answer, error: 'cancelled' }
  }
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text)
  air.get(line.cancel)?.abort()
  if (!line.url) continue
  const control = new AbortController()
  air.set(line.call, control)
  call(line, control.signal).then((answer) => {
    air.delete(line.call)
    console.log(JSON.stringify({ call: line.call, ...answer }))
  })
}
