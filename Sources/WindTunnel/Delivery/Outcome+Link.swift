extension Outcome {
  /// About what the request line and fields take.
  static let requestHeadBytes = 200

  /// The shaper that the answer passes through; `nil`: none.
  public var shaper: Shaper? {
    path?.answerShaper(requestBytes: requestBytes, isSecure: request.url.scheme == "https")
  }

  /// The waits on the link before the request has arrived.
  package var linkStages: ExchangeStages? {
    path?.stages(requestBytes: requestBytes, isSecure: request.url.scheme == "https")
  }

  var requestBytes: Int { Self.requestHeadBytes + (path?.contentBytes ?? request.body.count) }
}
