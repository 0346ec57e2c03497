// Bug: waits a fifth of a second before it asks again, whatever the server said.
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
for (let attempt = 0; attempt < 3; attempt++) {
  const answer = await fetch(process.argv[2], { signal: AbortSignal.timeout(3000) })
  if (answer.ok) {
    process.stdout.write(await answer.text())
    process.exit(0)
  }
  if (answer.status !== 429) process.exit(1)
  await sleep(200)
}
process.exit(1)
