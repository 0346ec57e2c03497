extension FindingRule {
  /// Finds clients that begin attempts for a cancelled call.
  static let goesOnAfterCancel = FindingRule(
    id: "goes-on-after-cancel",
    title: "Begins attempts for a call that its caller has cancelled.",
    condition:
      "a caller cancelled a call, and a program that runs for several calls returned within "
      + "\(Figures.wait(heed))",
    cost: "Battery, traffic and server capacity are spent on unused results.",
    fix: "Pass the cancellation to the transport and to every wait before a retry.",
    source: "Google SRE Book, ch. 22 (cancellation propagation)",
    restsOnTime: true
  ).eachCall(.givenUp) { call in
    guard let cancellation = call.observation.cancellation,
      let attempts = cancellation.attemptsAfter
    else { return .notMet }
    // A program that reads its next line only after its call cannot receive the cancellation
    // earlier.
    if call.client == .service, cancellation.toReturn > heed { return .notMet }
    guard attempts > 0 else { return .kept }
    return .broken(
      "Cancelled after \(Figures.time(cancellation.after)), it began \(attempts) more "
        + "\(attempts == 1 ? "attempt" : "attempts")."
    )
  }

  /// The maximum time to the result of a cancelled call that shows that the program received the
  /// cancellation.
  private static let heed = Duration.milliseconds(250)
}
