internal import Foundation

/// The error of an outbox that cannot be opened or does not accept a call.
public enum OutboxError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Another process, or another outbox in this process, holds the folder.
  case inUse(String)
  /// The disk is full, with the file that could not be written.
  case diskFull(String)
  /// The folder or its disk is read-only, with the file that could not be written.
  case notWritable(String)
  /// The disk failed in another way, described in one sentence.
  case disk(String)
  /// The file is not a valid file of an outbox.
  case damaged(String)
  /// The outbox was not opened with the endpoint of this template.
  case unknownEndpoint(String)
  /// The outbox was opened with two endpoints of this template.
  case repeatedEndpoint(String)
  /// The body cannot be part of a batch, with the reason.
  case body(String)
  /// The body has more bytes than the limit.
  case tooLarge(bytes: Int, most: Int)
  /// The key is not valid in a header field, or is longer than 255 bytes.
  case key(String)
  /// The outbox is full and refuses new calls, described in one sentence.
  case full(String)
  /// The outbox is closed.
  case closed

  /// The error in one text, with the fix.
  public var description: String {
    switch self {
    case .inUse(let folder):
      "The outbox \"\(folder)\" is in use by another process. End that process, or open another "
        + "folder."
    case .diskFull(let file):
      "The disk is full: \"\(file)\" cannot be written; the call was not stored. Make room and try "
        + "again."
    case .notWritable(let file):
      "\"\(file)\" cannot be written: its folder or disk is read-only. Open the outbox in a "
        + "folder of the app."
    case .disk(let text): text
    case .damaged(let file):
      "\"\(file)\" is damaged or not a file of an outbox; move it away and open the outbox again."
    case .unknownEndpoint(let template):
      "The outbox does not know the endpoint \"\(template)\"; open it with that endpoint. A "
        + "template must have 1 to 80 bytes."
    case .repeatedEndpoint(let template):
      "The outbox has two endpoints with the template \"\(template)\", but stores calls by "
        + "template; pass each template once."
    case .body(let reason): "The body cannot be in a batch: \(reason)."
    case .tooLarge(let bytes, let most):
      "The body has \(bytes) bytes; the maximum is \(most). Raise mostCallBytes or split it."
    case .key(let key):
      "\"\(key)\" is not a key: use 1 to 255 visible ASCII characters, such as a UUID."
    case .full(let text): text
    case .closed: "The outbox was closed; open it again."
    }
  }
}

extension OutboxError {
  /// Creates the error of a file that cannot be read.
  init(reading file: URL, _ number: Int32) {
    let reason = String(cString: strerror(number))
    self = .disk("The app cannot read \"\(file.path)\": \(reason).")
  }

  /// Creates the error of a failed system call on a file.
  init(_ number: Int32, _ verb: String, _ file: URL) {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: self = .diskFull(file.path)
    case EROFS, EACCES, EPERM: self = .notWritable(file.path)
    default:
      self = .disk("The app cannot \(verb) \"\(file.path)\": \(String(cString: strerror(number))).")
    }
  }
}
