internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

// Git may change the line ends of a text when it is added or checked out (gitattributes(5),
// `text`), and then its name promises other bytes.

extension SideFiles {
  /// The file in the folder that keeps git from changing line ends there, and its text.
  static let attributes = (name: ".gitattributes", text: "* -text\n")

  /// The text of that file as it is now; `nil` if there is none.
  var attributesText: String? {
    let file = folder.appendingPathComponent(Self.attributes.name)
    return FileManager.default.contents(atPath: file.path).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Adds that file, unless the folder has one already.
  func keepLineEnds() throws(FileError) {
    guard attributesText == nil else { return }
    let file = folder.appendingPathComponent(Self.attributes.name)
    try FileError.writing(Data(Self.attributes.text.utf8), to: file)
  }

  /// Returns the refusal of bytes that do not match a name, with the cause if it is known.
  static func refusal(of data: Data, as name: String, source: String) -> FormatError {
    var (problem, fix): (String, String?) = ("the bytes are not those that the name promises", nil)
    if let (old, new, rest) = lineEnds(of: data, as: name) {
      problem =
        "its line ends were changed from \(old) to \(new), as git does with autocrlf or text=auto"
      fix = "Put a .gitattributes with the line \"* -text\" beside it, then \(rest)."
    }
    return FormatError(source: source, place: "", problem: problem, fix: fix)
  }

  /// Returns the original line ends of bytes, the present ones, and how to restore the original
  /// ones. `nil` if line ends are not the reason why the bytes do not match a name.
  private static func lineEnds(of data: Data, as name: String) -> (String, String, String)? {
    var (unix, windows) = (Bytes(), Bytes())
    for (place, byte) in zip(data.indices, data) {
      if byte == 0x0D, place + 1 < data.endIndex, data[place + 1] == 0x0A { continue }
      if byte == 0x0A { windows.append(0x0D) }
      unix.append(byte)
      windows.append(byte)
    }
    if SHA256.hexadecimal(unix) == name.lowercased() {
      return ("LF", "CRLF", "delete the file and check it out again (git checkout -- FILE)")
    }
    guard SHA256.hexadecimal(windows) == name.lowercased() else { return nil }
    return ("CRLF", "LF", "commit the file again from where it was recorded, or record it again")
  }
}
