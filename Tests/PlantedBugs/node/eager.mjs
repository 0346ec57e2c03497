// Bug: eight attempts of one call, though with a pause between them.
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

async function load(url) {
  const end = Date.now() + 8000
  let problem
  for (let attempt = 0; attempt < 8 && Date.now() < end; attempt++) {
    if (attempt > 0) await sleep(300 + Math.random() * 200)
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
      const body = Buffer.from(await answer.arrayBuffer())
      if (answer.ok) return body
      problem = new Error(`status ${answer.status}`)
      if (![502, 503, 504].includes(answer.status) || answer.headers.has('retry-after')) break
    } catch (error) {
      problem = error.cause ?? error
    }
  }
  throw problem
}

try {
  process.stdout.write(await load(process.argv[2]))
} catch (error) {
  console.error(`${process.argv[2]}: ${error.message}`)
  process.exitCode = 1
}
