import Foundation
import WindTunnelRemote

/// The examples of doc comments, line by line as they stand there; a tidy test finds each here.
/// They are compiled and not run.
enum DocExamples {
  static func ask(at url: URL, with tape: URL) async throws {
    let server = RemoteServer(admin: url)
    try await server.load(cassetteAt: tape)
    try await server.put(RemoteStub("down", "POST /orders", status: 503))
  }
}
