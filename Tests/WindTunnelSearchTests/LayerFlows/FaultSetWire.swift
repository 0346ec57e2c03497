import TestSupport
import WindTunnelNetworkLayer
import WindTunnelSearch

/// The servers of a flow, which know something: a cassette has no more than that they answer.
protocol StormOrigin: Sendable {
  /// Hears of a request that is sent to a server.
  func arrived(_ request: URLRequest, from process: StormDevice.Process)
  /// Returns the server's answer, which its client gets.
  func answer(to request: URLRequest, for process: StormDevice.Process) -> ServerResponse
  /// Hears of something else that came in place of the answer; `nil`: of no answer.
  func lost(_ request: URLRequest, _ answer: ServerResponse?, for process: StormDevice.Process)
}

extension StormOrigin {
  func arrived(_ request: URLRequest, from process: StormDevice.Process) {}
  func lost(_ request: URLRequest, _ answer: ServerResponse?, for process: StormDevice.Process) {}
}

/// The network between an app and several servers. Each request passes the fault set under a path that
/// begins with its server's name, so that faults can tell servers apart; where it comes through
/// unharmed the server answers.
struct StormWire: Transport {
  private let faultSet: any Transport
  private let process: StormDevice.Process
  private let origin: any StormOrigin

  /// The answer on cassettes, in whose place a server's is put.
  static let mark = #"{"origin":"answers"}"#

  init(_ faultSet: any Transport, of process: StormDevice.Process, to origin: any StormOrigin) {
    (self.faultSet, self.process, self.origin) = (faultSet, process, origin)
  }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    if process.isAlive { origin.arrived(request, from: process) }
    let answer: ServerResponse
    do throws(TransportError) {
      answer = try await faultSet.send(Self.passing(request))
    } catch {
      if process.isAlive { origin.lost(request, nil, for: process) }
      throw error
    }
    guard process.isAlive else { throw .cancelled }
    guard answer.status == 200, answer.body == Data(Self.mark.utf8),
      answer.headers["Content-Type"] == "application/json"
    else {
      origin.lost(request, answer, for: process)
      return answer
    }
    return origin.answer(to: request, for: process)
  }

  /// The request as the fault set sees it, such as `/near/home` for `https://near.shop.example/home`.
  private static func passing(_ request: URLRequest) -> URLRequest {
    var request = request
    let host = request.url?.host ?? ""
    let server = host.split(separator: ".").first.map(String.init) ?? ""
    request.url = URL(string: "https://shop.example/\(server)\(request.url?.path ?? "")")
    return request
  }

  /// A cassette of requests such as `GET /near/home`.
  static func cassette(_ keys: String...) -> Cassette {
    Cassette(
      keys.map { key in
        let words = key.split(separator: " ").map(String.init)
        return Interaction(
          Request(words[0], RequestURL("https://shop.example\(words[1])")),
          .response(
            Response(
              status: 200,
              headers: ["Content-Type": "application/json"],
              body: Body(Data(mark.utf8))
            )
          )
        )
      }
    )
  }
}

/// The network without a fault set.
struct CalmWire: Transport {
  let process: StormDevice.Process
  let origin: any StormOrigin

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    origin.arrived(request, from: process)
    return origin.answer(to: request, for: process)
  }
}
