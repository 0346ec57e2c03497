// Bug: Retry-After is taken for a number. A date becomes NaN, which is one millisecond to setTimeout.
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

async function load(url) {
  let problem
  for (let attempt = 0; attempt < 3; attempt++) {
    let pause = 100 + Math.random() * 300 * 2 ** attempt
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
      const body = Buffer.from(await answer.arrayBuffer())
      if (answer.ok && (answer.headers.get('content-type') ?? '').includes('json')) return body
      problem = new Error(answer.ok ? 'no JSON' : `status ${answer.status}`)
      if (![429, 502, 503, 504].includes(answer.status)) break
      if (answer.headers.has('retry-after')) pause = Number(answer.headers.get('retry-after')) * 1000
    } catch (error) {
      problem = error.cause ?? error
    }
    if (pause > 5000) break
    if (attempt < 2) await sleep(pause)
  }
  throw problem
}

try {
  process.stdout.write(await load(process.argv[2]))
} catch (error) {
  console.error(`${process.argv[2]}: ${error.message}`)
  process.exitCode = 1
}
