/// A value of the listings that the golden files have and the second implementation prints.
public enum JSON: Hashable, Decodable, Sendable {
  case text(String)
  case number(Int64)
  case list([JSON])
  case object([String: JSON])

  /// Reads a value.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Int64.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([JSON].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  /// The member of an object with a name; nil if there is none.
  public subscript(_ name: String) -> JSON? {
    guard case .object(let values) = self else { return nil }
    return values[name]
  }

  /// Returns the elements of the list of this name.
  public func list(_ name: String) -> [JSON] {
    guard case .list(let elements)? = self[name] else { return [] }
    return elements
  }

  /// The items of a listed vault, without their unknown fields.
  public var items: Set<JSON> {
    Set(
      list("items").map { item in
        guard case .object(var values) = item else { return item }
        values["unknown"] = nil
        return .object(values)
      })
  }
}
