use strict;
use warnings;
use Test::More;

ok(1, 'is round');
is(2 + 2, 5, 'adds up');
subtest 'corners' => sub {
    plan tests => 2;
    ok(1, 'has four');
    ok(1, 'has none');
};
SKIP: {
    skip 'no paint', 1;
    ok(0, 'has colour');
}
TODO: {
    local $TODO = 'later';
    ok(0, 'has weight');
    ok(1, 'has volume');
}
ok(1);
done_testing();
