// Bug: an `await` is missing before sleep. The pauses are worked out, begun and waited for by nobody, so the
// attempts follow each other at once.
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

async function load(url) {
  let problem
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
      const body = await answer.text()
      if (answer.ok) return body
      problem = new Error(`status ${answer.status}`)
      if (![502, 503, 504].includes(answer.status) || answer.headers.has('retry-after')) break
    } catch (error) {
      problem = error.cause ?? error
    }
    if (attempt < 4) sleep(100 + Math.random() * 300 * 2 ** attempt)
  }
  throw problem
}

try {
  process.stdout.write(await load(process.argv[2]))
} catch (error) {
  console.error(`${process.argv[2]}: ${error.message}`)
  process.exitCode = 1
}
