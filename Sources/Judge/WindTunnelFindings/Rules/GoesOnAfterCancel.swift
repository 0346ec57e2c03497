extension FindingRule {
  /// Attempts begin for a call that nobody waits for.
  static let goesOnAfterCancel = FindingRule(
    id: "goes-on-after-cancel",
    title: "Begins attempts for a call that its caller has given up.",
    condition:
      "a caller gave a call up, and a program that lives answered it within \(Figures.wait(heed))",
    cost: "Battery, traffic and a server's work are spent on what nobody looks at.",
    fix: "Hand the cancellation down to the transport and to every wait before a retry.",
    source: "Google SRE Book, ch. 22 (cancellation propagation)",
    restsOnTime: true
  ).eachCall(.givenUp) { call in
    guard let cancellation = call.observation.cancellation,
      let attempts = cancellation.attemptsAfter
    else { return .notMet }
    // A program that reads its next line after its call cannot hear of it sooner.
    if call.client == .service, cancellation.toReturn > heed { return .notMet }
    guard attempts > 0 else { return .kept }
    return .broken(
      "Given up after \(Figures.time(cancellation.after)), it began \(attempts) "
        + "\(attempts == 1 ? "attempt" : "attempts") more."
    )
  }

  /// A program that answers a call sooner after it was given up has heard of that.
  private static let heed = Duration.milliseconds(250)
}
