/// A client that a drill can run: your code, a bare `URLSession`, a program, or a client from
/// another module.
///
/// ```swift
/// let shop = DrillSubject("shop") { call in
///   try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
/// }
/// await DrillMain(subject: shop, beside: [.urlSession]).run()
/// ```
public struct DrillSubject: Sendable {
  /// The client of this value.
  package let client: any Subject

  /// Creates a value from a client of this package.
  package init(_ client: any Subject) { self.client = client }

  /// Creates a client from a closure.
  ///
  /// - Parameters:
  ///   - name: The name in reports, and for `--subject`.
  ///   - body: One use of the client, as in ``Drill/run(as:in:_:)``.
  public init<Shown: Sendable>(
    _ name: String,
    _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Shown
  ) {
    client = ClosureSubject(name: name, body: body)
  }

  /// The name in reports, and for `--subject`.
  public var name: String { client.name }

  /// A bare `URLSession`: one task for each call, without a retry policy of its own.
  public static var urlSession: DrillSubject { DrillSubject(URLSessionSubject()) }

  /// The program that a plan's command names.
  public static var program: DrillSubject { DrillSubject(ExecSubject()) }
}
