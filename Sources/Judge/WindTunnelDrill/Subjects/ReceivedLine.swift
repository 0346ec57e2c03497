internal import Foundation

/// A line by which a program says that it has received a message of its conversation:
/// `{"received": "It rains."}`, and of a binary one `{"receivedBase64": "AAE="}`. One that lives
/// says beside it which `call` that was in.
struct ReceivedLine: Sendable, Hashable {
  /// The number of the call, where the line has one.
  var call: Int?
  /// The content of the message.
  var content: Data

  /// Reads a line; `nil` where it is none of these.
  init?(_ line: String) {
    // Most lines are something else, and reading each as JSON would take long.
    guard line.utf8.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "{"),
      line.contains("\"received"),
      // Why it is none is in the line for everybody to see.
      let json = try? JSON(parsing: line.utf8, source: "")
    else { return nil }
    if let text = json["received"]?.stringValue {
      content = Data(text.utf8)
    } else if let text = json["receivedBase64"]?.stringValue, let data = Data(base64Encoded: text) {
      content = data
    } else {
      return nil
    }
    call = json["call"]?.intValue
  }
}
