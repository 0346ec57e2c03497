internal import Foundation

// Git may change the line ends of a text when it is added or checked out (gitattributes(5),
// `text`). Then the bytes no longer match the name.

extension SideFiles {
  /// The file that prevents git from changing line ends in the folder, and its text.
  static let attributes = (name: ".gitattributes", text: "* -text\n")

  /// The current text of that file; `nil` if it is missing.
  var attributesText: String? {
    let file = folder.appendingPathComponent(Self.attributes.name)
    return FileManager.default.contents(atPath: file.path).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Adds that file, unless the folder already contains one.
  func keepLineEnds() throws(FileError) {
    guard attributesText == nil else { return }
    let file = folder.appendingPathComponent(Self.attributes.name)
    try FileError.writing(Data(Self.attributes.text.utf8), to: file)
  }

  /// Returns the error for bytes that do not match a name, with the cause if it is known.
  static func refusal(of data: Data, as name: String, source: String) -> FormatError {
    var (problem, fix): (String, String?) = ("the bytes do not match the name", nil)
    if let (old, new, rest) = lineEnds(of: data, as: name) {
      problem =
        "its line ends were changed from \(old) to \(new), as git does with autocrlf or text=auto"
      fix = "Add a .gitattributes with the line \"* -text\" beside it, then \(rest)."
    }
    return FormatError(source: source, place: "", problem: problem, fix: fix)
  }

  /// Returns the original line ends, the present ones, and how to restore the original ones. `nil`
  /// if line ends are not the cause.
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
    return ("CRLF", "LF", "commit the file again from its original, or record it again")
  }
}
