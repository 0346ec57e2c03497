public import Testing

// The compiler needs 45 ms for `#expect(a == b)`, mostly to check the closure that the macro makes of the
// operator, and almost nothing for a call: with thousands of them that is half of a build of the tests.

/// Records an issue if two values differ.
public func expectEqual<Value: Equatable>(
  _ value: Value,
  _ expected: Value,
  _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID,
  filePath: String = #filePath,
  line: Int = #line,
  column: Int = #column
) {
  if value == expected { return }
  record(
    "\(String(reflecting: value)) is not equal to \(String(reflecting: expected))",
    comment(),
    SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  )
}

/// Records an issue if there is a value.
public func expectNil<Value>(
  _ value: Value?,
  _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID,
  filePath: String = #filePath,
  line: Int = #line,
  column: Int = #column
) {
  guard let value else { return }
  record(
    "\(String(reflecting: value)) is not nil",
    comment(),
    SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  )
}

private func record(_ sentence: String, _ comment: Comment?, _ location: SourceLocation) {
  let words = comment.map { "\(sentence): \($0.rawValue)" } ?? sentence
  Issue.record(Comment(rawValue: words), sourceLocation: location)
}
