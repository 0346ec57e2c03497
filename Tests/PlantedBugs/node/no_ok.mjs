// Bug: fetch does not throw for a 503, and nobody asks for response.ok.
const answer = await fetch(process.argv[2], { signal: AbortSignal.timeout(5000) })
process.stdout.write(await answer.text())
