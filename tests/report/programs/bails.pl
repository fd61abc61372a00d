use Test::More tests => 3;
ok(1, 'before');
BAIL_OUT('the disk is gone');
