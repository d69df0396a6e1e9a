"""Which files the text of code names: to every usual reader and writer, however the path is spelled."""

import os
import time
from pathlib import Path

import pytest

from pi_notebook.kernel.code_facts import CodeFacts


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv", "data.bin", "db.sqlite", "d_2024.csv"):
        (tmp_path / name).write_text("1")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.parquet").write_text("1")
    return tmp_path


def read(code, folder, **variables):
    return [os.path.relpath(path, folder) for path in CodeFacts(code).paths_read(variables)]


def touched(code, folder, since_ns=0, **variables):
    found = CodeFacts(code).paths_touched(variables, since_ns=since_ns)
    return [(os.path.relpath(path, folder), action) for path, action in found]


READS = """
pd.read_csv('a.csv', sep=';')
pd.read_csv(filepath_or_buffer='a.csv')
pd.read_excel(io='a.csv')
pd.read_json(path_or_buf='a.csv')
pd.read_parquet(path='a.csv')
pd.read_hdf('a.csv', 'key')
pd.read_pickle('a.csv')
pd.read_fwf('a.csv').head()
pd.ExcelFile('a.csv')
pd.HDFStore('a.csv', mode='r')
geopandas.read_file('a.csv')
pl.scan_csv('a.csv').filter(x).collect()
pl.read_parquet(source='a.csv')
pl.scan_ndjson(source=['a.csv'])
pl.read_csv_batched('a.csv')
pl.read_excel(source='a.csv')
pq.read_table('a.csv', columns=['x'])
pq.ParquetFile('a.csv').metadata
pq.read_schema(where='a.csv')
pa.dataset.dataset('a.csv', format='csv')
ds.dataset(source=['a.csv'])
pa.csv.open_csv('a.csv')
pa.memory_map('a.csv')
feather.read_feather('a.csv')
orc.ORCFile('a.csv')
duckdb.read_csv('a.csv')
duckdb.sql("SELECT * FROM 'a.csv'")
duckdb.sql('FROM "a.csv"')
con.execute("SELECT * FROM read_csv('a.csv', header = true)").df()
con.query(f"FROM '{'a.csv'}'")
dd.read_csv('a.csv', blocksize=None)
dask.bag.read_text(urlpath='a.csv')
spark.read.csv('a.csv', header=True)
spark.read.option('header', True).format('csv').load('a.csv')
spark.read.text('file://{folder}/a.csv')
np.load('a.csv')
np.loadtxt(fname='a.csv')
np.genfromtxt('a.csv')
np.fromfile('a.csv', dtype='u1')
np.memmap('a.csv', mode='r')
h5py.File('a.csv', 'r')['x']
xr.open_dataset(filename_or_obj='a.csv')
netCDF4.Dataset('a.csv')
openpyxl.load_workbook(filename='a.csv')
scipy.io.loadmat('a.csv')
joblib.load('a.csv')
sqlite3.connect('a.csv')
plt.imread('a.csv')
pd.read_csv(Path('a.csv'))
pd.read_csv(Path('sub') / '..' / 'a.csv')
pd.read_csv(pathlib.Path('.').joinpath('a.csv'))
pd.read_csv(Path.cwd() / 'a.csv')
pd.read_csv(os.path.join('.', 'a.csv'))
pd.read_csv('a' + '.csv')
pd.read_csv(f'{stem}.csv')
pd.read_csv(f'{where}/a.{ending!s}')
pd.read_csv(where / 'a.csv')
pd.read_csv(files['train'])
pd.read_csv(names[0])
pd.concat([pd.read_csv(x) for x in ['b']] + [pd.read_csv('a.csv')])
%time pd.read_csv('a.csv')
""".strip().splitlines()  # noqa: SIM905


@pytest.mark.parametrize("code", READS)
def test_a_file_named_to_a_reader_is_found(folder, code):
    variables = {
        "stem": "a", "ending": "csv", "where": Path(), "files": {"train": "a.csv"}, "names": ["a.csv"],
    }  # fmt: skip
    code = code.replace("{folder}", str(folder))
    assert read(code, folder, **variables) == ["a.csv"]
    assert touched(code, folder, **variables) == [("a.csv", "read")]


@pytest.mark.parametrize(
    "code",
    [
        "pd.read_csv('missing.csv')",
        "pd.read_csv('https://example.org/a.csv')",
        "pd.read_csv(name_of('a.csv'))",
        "pd.read_csv(unknown)",
        "pd.read_csv(f'{unknown}.csv')",
        "pd.read_csv(f'{number:04d}.csv')",
        "name = 'a.csv'\npd.read_csv(name)\nname = 'b.csv'",
        "pd.read_csv(io.StringIO('a.csv'))",
        "h5py.File('a.csv', 'w')",
        "con.execute(\"COPY t TO 'a.csv'\")",
        "df.to_csv('a.csv')",
        "print('a.csv')",
        "'a.csv'",
        "pd.read_csv('a.csv'",
        "pd.read_csv(tables['a']['b'])",
        "pd.read_csv(names[7])",
    ],
)
def test_what_names_no_file_or_may_not_have_read_it_is_left_out(folder, code):
    assert read(code, folder, number=1, name="b.csv", tables={"a": {}}, names=[]) == []


def test_patterns_folders_and_numbers_in_names_are_followed(folder):
    assert read("pl.scan_csv('?.csv')", folder) == ["a.csv", "b.csv"]
    assert read("pd.read_parquet('sub')", folder) == ["sub"]
    assert read("pd.read_csv(f'd_{year}.csv')", folder, year=2024) == ["d_2024.csv"]
    assert read("pd.read_csv(['a.csv', 'b.csv'])", folder) == ["a.csv", "b.csv"]


WRITES = """
df.to_csv('a.csv', index=False)
df.to_parquet(path='a.csv')
df.to_excel(excel_writer='a.csv')
pd.ExcelWriter('a.csv')
df.write_csv(file='a.csv')
lazy.sink_parquet('a.csv')
pq.write_table(table, 'a.csv')
pq.ParquetWriter(where='a.csv', schema=s)
pa.dataset.write_dataset(data, 'a.csv')
df.write.parquet('a.csv')
df.write.mode('overwrite').csv('a.csv')
con.execute("COPY (SELECT 1) TO 'a.csv'")
np.save('a.csv', array)
np.savez_compressed(file='a.csv', x=x)
array.tofile('a.csv')
joblib.dump(model, 'a.csv')
torch.save(model, 'a.csv')
h5py.File('a.csv', 'w')
h5py.File(name='a.csv', mode='a')
plt.savefig('a.csv', dpi=200)
figure.write_html('a.csv')
open('a.csv', 'w').write('x')
open('a.csv', mode='a')
Path('a.csv').open('w')
Path('a.csv').write_text('x')
""".strip().splitlines()  # noqa: SIM905


@pytest.mark.parametrize("code", WRITES)
def test_a_file_named_to_a_writer_is_found_where_it_has_changed(folder, code):
    assert touched(code, folder) == [("a.csv", "written")]
    assert touched(code, folder, since_ns=time.time_ns() + 10**9) == []
    assert read(code, folder) == []


@pytest.mark.parametrize(
    "code", ["open('a.csv').read()", "Path('a.csv').read_text()", "Path('a.csv').open()"]
)
def test_what_python_opens_is_left_to_who_watches_where_somebody_does(folder, code):
    assert touched(code, folder) == [("a.csv", "read")]
    assert read(code, folder) == []
