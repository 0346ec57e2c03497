/// An attempt that has not ended, with its progress so far.
struct OpenAttempt: Sendable {
  var call: Int
  /// Whether it belongs to an app's start.
  var isOfStart: Bool
  /// Whether an earlier response was fabricated intentionally. If so, the requests after it are not
  /// recorded.
  var isLedAstray: Bool
  var requestEnd: Duration?
  var firstByte: Duration?
  /// The end, as far as it is known. It has a status if the request is for a part.
  var end: WorkerMessage.AttemptEnd

  /// Returns the durations of its stages, including the delay of the link before the response.
  func stages(over link: ExchangeStages?, until moment: Duration) -> ExchangeStages {
    var stages = end.stages
    if let link {
      func together(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one else { return other }
        return one + (other ?? .zero)
      }
      stages.dns = together(link.dns, stages.dns)
      stages.connect = together(link.connect, stages.connect)
      stages.tls = together(link.tls, stages.tls)
      stages.upload = together(link.upload, stages.upload)
    }
    guard let first = firstByte else { return stages }
    if let requestEnd {
      stages.firstByte = max(.zero, first - requestEnd - (link?.beforeAnswer ?? .zero))
    }
    stages.body = moment - first
    return stages
  }
}
