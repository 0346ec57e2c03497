internal import Foundation
internal import WindTunnel

extension ClientConnection {
  /// Answers on an admin port; false on every other.
  func answerAsAdmin(_ head: RequestHead, _ body: Data) -> Bool {
    guard let admin = context.admin else { return false }
    let request = Request(head.method, head.url, headers: head.headers, body: Body(body))
    answer(admin.answer(request), to: head)
    return true
  }
}
