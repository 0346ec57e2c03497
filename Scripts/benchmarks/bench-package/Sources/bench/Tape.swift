internal import Foundation
internal import WindTunnel

/// The tape that everything is measured with: as many GETs as wanted, each answered with 1 KiB.
enum Tape {
  static let origin = "http://api.example.com"
  static let body = Data(repeating: UInt8(ascii: "x"), count: 1024)
  static let fields = [
    "Content-Type": "application/octet-stream", "Content-Length": String(body.count),
  ]

  static func path(_ index: Int) -> String { "/items/\(index)" }

  static func cassette(_ count: Int) -> Cassette {
    let headers: HeaderFields = [
      "Content-Type": "application/octet-stream", "Content-Length": String(body.count),
    ]
    let response = Response(headers: headers, body: Body(body))
    return Cassette(
      (0..<count).map {
        Interaction(Request("GET", RequestURL(origin + path($0))), response)
      }
    )
  }
}
