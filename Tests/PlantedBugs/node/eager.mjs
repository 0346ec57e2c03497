// Bug: eight attempts of one call, though with a pause between them.
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
for (let attempt = 0; attempt < 8; attempt++) {
  const answer = await fetch(process.argv[2], { signal: AbortSignal.timeout(3000) })
  if (answer.ok) {
    process.stdout.write(await answer.text())
    process.exit(0)
  }
  await sleep(300 + Math.random() * 200)
}
process.exit(1)
