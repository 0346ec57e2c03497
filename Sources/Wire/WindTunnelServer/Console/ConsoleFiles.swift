internal import CWindTunnelConsole
internal import Foundation
internal import WindTunnel

/// The files of the console's page, by their URL paths.
enum ConsoleFiles {
  /// Each file as a response with its type.
  static let all: [String: Response] = {
    var all: [String: Response] = [:]
    for number in 0... {
      guard let name = wt_console_name(number), let bytes = wt_console_bytes(number) else { break }
      let path = String(cString: name)
      let data = Data(bytes: bytes, count: wt_console_length(number))
      let file = Response(headers: ["Content-Type": type(of: path)], body: Body(data))
      all[path == "index.html" ? "/" : "/\(path)"] = file
    }
    return all
  }()

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "json": "application/json"
    default: "application/octet-stream"
    }
  }
}
