extension Outcome {
  /// About what the request line and fields take.
  static let requestHeadBytes = 200

  /// What the answer passes through; `nil`: nothing.
  public var shaper: Shaper? {
    path?.answerShaper(requestBytes: requestBytes, isSecure: request.url.scheme == "https")
  }

  /// What the link makes it wait for before the request has arrived.
  package var linkStages: ExchangeStages? {
    path?.stages(requestBytes: requestBytes, isSecure: request.url.scheme == "https")
  }

  var requestBytes: Int { Self.requestHeadBytes + (path?.contentBytes ?? request.body.count) }
}
