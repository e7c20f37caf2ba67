/// t
package enum Migrations {
  package static let all: [String] = [String(decoding: PackageResources._001_sealed_tree_sql, as: UTF8.self)]
}
