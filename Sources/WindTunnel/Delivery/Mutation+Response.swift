internal import Foundation

extension Mutation {
  /// The reason why an answer gives no room for a mutation.
  struct Misfit: Error, Hashable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// An answer as a server with this fault in it would have given it.
  func applied(to response: Response, hasContent: Bool) throws(Misfit) -> Response {
    var response = response
    switch self {
    case .status(let status):
      let other = 200..<300 ~= response.status ? 500 : 200
      guard status != response.status else {
        throw Misfit("the status is \(response.status) already")
      }
      response.head.status = status ?? other
      return response
    case .field(let change, let place):
      let edited = try JSONMutation(change, place, of: try Self.opened(response, hasContent))
      replace(&response, by: Data(edited.bytes))
    case .cut(let cut):
      let body = try Self.opened(response, hasContent)
      let offset =
        switch cut {
        case .after(let count): count
        case .anywhere: Self.index(of: 0.5, among: body.count)
        case .drawn(let draw): Self.index(of: draw, among: body.count)
        }
      guard offset < body.count else {
        throw Misfit("the body has no more than \(body.count) bytes")
      }
      replace(&response, by: Data(body.prefix(offset)))
    }
    return response
  }

  private func replace(_ response: inout Response, by body: Data) {
    response.body = Body(body)
    response.head.headers.remove("Content-Encoding")
    if response.headers["Content-Length"] != nil {
      response.head.headers["Content-Length"] = String(body.count)
    }
  }

  private static func opened(_ response: Response, _ hasContent: Bool) throws(Misfit) -> [UInt8] {
    guard hasContent, !response.body.data.isEmpty else { throw Misfit("the answer has no body") }
    let coding = response.headers.values("Content-Encoding").joined(separator: ", ")
    guard let body = Inflate.open(response.body.data, coding: coding) else {
      throw Misfit("the body in \(coding) cannot be opened")
    }
    return Array(body)
  }
}
