// A careful client: a limit to each attempt and to the whole call, full jitter, Retry-After, JSON or nothing;
// what is not idempotent is sent once. Usage: careful.mjs [METHOD] URL
const words = process.argv.slice(2)
const [method, url] = words.length > 1 ? words : ['GET', ...words]
const isIdempotent = ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method)
const body = ['GET', 'HEAD'].includes(method) ? undefined : process.env.WINDTUNNEL_BODY
const headers = { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) }
const end = Date.now() + 8000
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const asked = (field) => (/^\d+$/.test(field) ? +field * 1000 : Date.parse(field) - Date.now() + 1000)

async function load() {
  let problem = 'no attempt'
  for (let attempt = 0; attempt < 4; attempt++) {
    let pause = 100 + Math.random() * 300 * 2 ** attempt
    try {
      const signal = AbortSignal.timeout(Math.max(100, Math.min(3000, end - Date.now())))
      const answer = await fetch(url, { method, body, headers, signal })
      const isJSON = (answer.headers.get('content-type') ?? '').includes('json')
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (answer.ok && isJSON) return bytes
      problem = answer.ok ? 'no JSON' : `status ${answer.status}`
      if (![429, 502, 503, 504].includes(answer.status)) break
      const field = answer.headers.get('retry-after')
      // What cannot be read asks for nothing.
      if (field) pause = Math.max(pause, asked(field) || 0)
    } catch (error) {
      problem = String(error.cause ?? error)
      if (/CERT|SIGNATURE/.test(error.cause?.code) || /redirect/.test(problem)) break
    }
    if (!isIdempotent || Date.now() + pause > end - 500) break
    await sleep(pause)
  }
  throw new Error(problem)
}

try {
  process.stdout.write(await load())
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
