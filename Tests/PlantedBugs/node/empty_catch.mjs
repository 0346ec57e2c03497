// Bug: an empty catch.
try {
  const answer = await fetch(process.argv[2], { signal: AbortSignal.timeout(5000) })
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  process.stdout.write(await answer.text())
} catch {}
