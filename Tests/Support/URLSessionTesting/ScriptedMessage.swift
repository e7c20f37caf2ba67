import Foundation

/// A request to a scripted server.
package struct ScriptedRequest: Sendable {
  package let method: String
  /// The target in the request line: a path, or a URL if the server is used as a proxy.
  package let target: String
  package let fields: [(name: String, value: String)]
  package let body: [UInt8]
  /// The connection of the request, counted from 1.
  package let connection: Int

  /// Returns the value of a field; nil if there is none of that name.
  package subscript(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The value of `Authorization`; nil without one.
  package var authorization: String? { self["Authorization"] }

  /// The scheme of `Authorization`, in lower case; nil without one.
  package var scheme: String? {
    authorization?.split(separator: " ").first.map { $0.lowercased() }
  }
}

/// An answer of a scripted server.
package struct ScriptedResponse: Sendable {
  package var status: Int
  /// The fields; names may repeat, and `Content-Length` is added.
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]
  /// Whether the connection is closed afterwards.
  package var closes = false
  /// Whether the connection is closed before the last byte of the body.
  package var breaksOff = false
  /// Whether the connection is closed instead of answering.
  package var isDropped = false

  package init(
    _ status: Int = 200, _ fields: KeyValuePairs<String, String> = [:], _ body: String = ""
  ) {
    self.status = status
    self.fields = fields.map { (name: $0.key, value: $0.value) }
    self.body = Array(body.utf8)
  }

  /// Returns a 200 with this body.
  package static func text(_ text: String) -> ScriptedResponse {
    ScriptedResponse(200, ["Content-Type": "text/plain"], text)
  }

  /// Returns a 401 with these challenges, a field line each.
  package static func challenge(
    _ challenges: String..., body: String = "unauthorized"
  ) -> ScriptedResponse {
    var response = ScriptedResponse(401, ["Content-Type": "text/plain"], body)
    response.fields += challenges.map { (name: "WWW-Authenticate", value: $0) }
    return response
  }

  /// Returns a 407 with these challenges, a field line each.
  package static func proxyChallenge(_ challenges: String...) -> ScriptedResponse {
    var response = ScriptedResponse(407, [:], "proxy")
    response.fields += challenges.map { (name: "Proxy-Authenticate", value: $0) }
    return response
  }

  /// Returns a redirect.
  package static func redirect(_ status: Int = 302, to location: String) -> ScriptedResponse {
    ScriptedResponse(status, ["Location": location], "moved")
  }

  /// A response that closes the connection without an answer.
  package static var dropped: ScriptedResponse {
    var response = ScriptedResponse()
    response.isDropped = true
    return response
  }
}
