//! What the page is compiled against is what the server sends.

use expect_test::expect_file;

#[test]
fn the_page_knows_the_types_of_the_server() {
    expect_file!["../../../../ui/wire/wire.ts"].assert_eq(&web::wire::typescript());
}
