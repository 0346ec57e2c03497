// A careful client: a limit to each attempt and to the whole call, full jitter, Retry-After, JSON or nothing.
const end = Date.now() + 8000
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const asked = (field) => (/^\d+$/.test(field) ? +field * 1000 : Date.parse(field) - Date.now() + 1000)

async function load(url) {
  let problem = 'no attempt'
  for (let attempt = 0; attempt < 4; attempt++) {
    let pause = 100 + Math.random() * 300 * 2 ** attempt
    try {
      const signal = AbortSignal.timeout(Math.max(100, Math.min(3000, end - Date.now())))
      const answer = await fetch(url, { signal, headers: { Accept: 'application/json' } })
      const isJSON = (answer.headers.get('content-type') ?? '').includes('json')
      const body = Buffer.from(await answer.arrayBuffer())
      if (answer.ok && isJSON) return body
      problem = answer.ok ? 'no JSON' : `status ${answer.status}`
      if (![429, 502, 503, 504].includes(answer.status)) break
      const field = answer.headers.get('retry-after')
      // What cannot be read asks for nothing.
      if (field) pause = Math.max(pause, asked(field) || 0)
    } catch (error) {
      problem = String(error.cause ?? error)
    }
    if (Date.now() + pause > end - 500) break
    await sleep(pause)
  }
  throw new Error(problem)
}

try {
  process.stdout.write(await load(process.argv[2]))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
