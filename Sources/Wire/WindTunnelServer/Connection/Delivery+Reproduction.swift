internal import Foundation
package import WindTunnel

extension Delivery {
  /// Returns the steps with each response as the bytes that a server writes, without a connection.
  ///
  /// - Parameters:
  ///   - method: The method of the request, which has arrived.
  ///   - keepsConnections: Whether the server keeps connections after whole responses.
  /// - Returns: The steps, whose heads and contents are bytes.
  package func written(to method: String, keepsConnections: Bool) -> [Step] {
    var framing: Framing?
    var trailers: HeaderFields = [:]
    var keeps = keepsConnections && afterwards.keepsConnection
    let content = steps.compactMap { if case .bytes(.data(let data)) = $0 { data } else { nil } }
    return steps.flatMap { step -> [Step] in
      var bytes: [UInt8] = []
      switch step {
      case .await: return []
      case .head(let head):
        let length = head.announcedLength(to: method) { content.joined().count }
        let answer = AnswerFraming(status: head.status, to: method, .http11, length: length, keeps)
        (framing, keeps, trailers) = (answer.framing, answer.keepsAlive, head.trailers)
        bytes.appendHead(head, framed: answer)
      case .bytes where framing == Framing.none: return []
      case .bytes(.data(let data)) where framing == .chunked: bytes.appendChunk(data)
      case .finish:
        let end: [Step] = keeps ? [] : [.close]
        guard framing == .chunked else { return end }
        bytes.appendLastChunk(trailers: trailers)
        return [.bytes(.data(Data(bytes)))] + end
      default: return [step]
      }
      return [.bytes(.data(Data(bytes)))]
    }
  }
}
