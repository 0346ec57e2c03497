internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

/// Prints a row: median, smallest and largest ratio.
func report(_ what: String, _ ratios: [Double]) {
  print(
    "\(what): ratio \(ratios.median.shown()) "
      + "(\(ratios.min().shownOrNone)–\(ratios.max().shownOrNone))"
  )
}

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "session":
  let few = SessionBench(interactions: 10)
  report("session      10, all", try few.ratios(rounds: 21, requests: 1_000))
  let many = SessionBench(interactions: 10_000)
  report("session  10,000, all", try many.ratios(rounds: 21, requests: 1_000))
  report("session  10,000, last 10", try many.ratios(rounds: 21, requests: 1_000, last: 10))
case "session-profile":
  try SessionBench(interactions: 10_000).fly(words.dropFirst().first.flatMap { Int($0) } ?? 20_000)
case "deck":
  print("decide  100,000 : 10: \(DeckBench.line())")
case "serve":
  let count = words.dropFirst().first.flatMap { Int($0) } ?? 10_000
  let deck = Deck(Tape.cassette(count), matcher: .pathAndQuery, then: .repeat)
  let server = try await ReplayServer(deck)
  print(server.url)
  fflush(nil)
  // Until the end of its input: whoever started it closes that.
  while readLine() != nil {}
  await server.stop()
default:
  FileHandle.standardError.write(Data("usage: bench session|deck|serve [COUNT]\n".utf8))
  exit(64)
}
