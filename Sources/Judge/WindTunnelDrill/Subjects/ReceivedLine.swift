internal import Foundation

/// A line by which a program reports a received message of its conversation. It is
/// `{"received": "It rains."}`, or `{"receivedBase64": "AAE="}` for a binary message. A
/// long-running program adds the number of its `call`.
struct ReceivedLine: Sendable, Hashable {
  /// The number of the call, if the line has one.
  var call: Int?
  /// The content of the message.
  var content: Data

  /// Reads a line; `nil` if it is another line.
  init?(_ line: String) {
    // Most lines are other output, and parsing each as JSON would take long.
    guard line.utf8.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "{"),
      line.contains("\"received"),
      // The reason for the error is not needed, because the line itself is printed.
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
